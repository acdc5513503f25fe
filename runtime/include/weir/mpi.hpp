// <weir/mpi.hpp>: one run on several processes, of one machine or many, by MPI. A program that includes it links
// weir::mpi.
#pragma once

#include <weir/macros_off.hpp>

#include <weir/mpi/session.hpp>
#include <weir/mpi/start.hpp>

#include <weir/macros_back.hpp>
