// <weir/snet.hpp>: networks that are written as text, in S-Net. A program that includes it links weir::snet.
#pragma once

#include <weir/macros_off.hpp>

#include <weir/snet/snet.hpp>

#include <weir/macros_back.hpp>
