#pragma once

namespace weir::detail::mpi {

// The tags of all messages on a session's communicator. Each use has tags of its own, so that what one gave up waiting
// for is never taken for a message of another. MPI keeps the order within a tag.
enum message_tag : int { batch_tag = 1, part_tag, introduction_tag, probe_tag, answer_tag };

}  // namespace weir::detail::mpi
