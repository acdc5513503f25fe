#include "bench/measurements/mpi/plain.hpp"

#include <mpi.h>

#include <array>
#include <cstring>
#include <vector>

namespace plain {
namespace {

constexpr std::size_t record_bytes = 64, gathered = 512;

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

double hop(std::size_t bytes, int times) {
  std::vector<std::byte> buffer(bytes, std::byte{1});
  const int rank = own_rank(), count = static_cast<int>(bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    if (rank == 0) MPI_Send(buffer.data(), count, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(buffer.data(), count, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(buffer.data(), count, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - begun) / times / 2;
}

double records(std::uint64_t count) {
  using buffer = std::vector<std::byte>;
  std::array<buffer, 2> buffers{buffer(record_bytes * gathered), buffer(record_bytes * gathered)};
  std::array<MPI_Request, 2> under_way{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::array<std::byte, record_bytes> record{};
  const int bytes = static_cast<int>(record_bytes * gathered);
  const std::uint64_t batches = count / gathered;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = MPI_Wtime();
  if (own_rank() == 0) {
    for (std::uint64_t b = 0; b < batches; ++b) {
      MPI_Wait(&under_way[b % 2], MPI_STATUS_IGNORE);
      for (std::size_t i = 0; i < gathered; ++i) {
        std::memcpy(record.data(), &b, sizeof b);
        std::memcpy(buffers[b % 2].data() + i * record_bytes, record.data(), record_bytes);
      }
      MPI_Isend(buffers[b % 2].data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &under_way[b % 2]);
    }
    MPI_Waitall(2, under_way.data(), MPI_STATUSES_IGNORE);
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    std::uint64_t sum = 0;
    for (std::uint64_t b = 0; b < batches; ++b) {
      MPI_Recv(buffers[0].data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (std::size_t i = 0; i < gathered; ++i) {
        std::uint64_t value = 0;
        std::memcpy(&value, buffers[0].data() + i * record_bytes, sizeof value);
        sum += value;
      }
    }
    volatile std::uint64_t kept = sum;
    static_cast<void>(kept);
    MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  }
  return MPI_Wtime() - begun;
}

}  // namespace plain
