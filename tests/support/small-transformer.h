// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/model-bench.h"

#include <cstdint>

namespace nadi::test
{

/// A small GPT: every degree below divides its numbers.
inline constexpr uint64_t LAYERS = 8;
inline constexpr uint64_t HIDDEN = 64;
inline constexpr uint64_t SEQUENCE = 32;
inline constexpr uint64_t VOCABULARY = 128;
inline constexpr uint64_t BATCH = 16;

inline Workload
MakeSmall(ModelValues values, uint32_t ranks)
{
    values.merge(ModelValues{{"layers", "8"},
                             {"hidden", "64"},
                             {"heads", "8"},
                             {"sequence", "32"},
                             {"vocabulary", "128"},
                             {"batch", "16"}});
    return MakeModelJob("transformer", values, {ranks});
}

/// Activations of a micro-batch of one sequence, in bytes of bf16.
inline constexpr uint64_t ACTIVATION = SEQUENCE * HIDDEN * 2;

} // namespace nadi::test
