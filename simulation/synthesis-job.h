// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "system/message-programs/message-program.h"
#include "system/message-programs/program-wish.h"
#include "system/synthesis/synthesis.h"

#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// The program that a configuration runs for a collective of all its ranks.
struct MadeProgram
{
    std::string algorithm;
    ProgramWish wish;
    Bytes size; ///< that the call names, where that of the wish is NCCL's
    MessageProgram program;
    bool isProven = true;
    std::optional<SimTime> bound;     ///< that no program beats; none: unknown
    std::optional<SimTime> predicted; ///< of a synthesised one
    std::vector<SynthesisCandidate> candidates;
    size_t best = 0;     ///< of the candidates
    std::string builtIn; ///< SynthesisResult::builtIn
    /// Why `system.plan-cache` does not have it. Empty: it has, or there is none.
    std::string storeFailure;
};

/// The type of the first collective of the job. Throws ConfigError for a job without one.
CollectiveType FirstCollectiveType(const RunInput& input);

/// The settings (`--set`) with which a configuration runs one collective of a type and size on a
/// group of its NPUs, an empty one being all.
std::vector<std::string>
SynthesisSettings(CollectiveType type, const std::string& size, const std::vector<uint32_t>& group);

/// Makes the program of the first collective of the job, for a group of all ranks: with the
/// algorithm that the configuration chooses for its type, else synthesised. A built-in algorithm
/// that runs over all ranks at once becomes a program too.
///
/// Throws ConfigError for a job without a collective, and for algorithms by dimension or with
/// switches that help.
MadeProgram MakeJobProgram(const RunInput& input);

/// The settings with which the configuration of `input` runs the collective of the program and
/// nothing else, on the ranks of the job. Those of a barrier are none: it has no size.
std::vector<std::string> MeasurementSettings(const RunInput& input, const MadeProgram& made);

} // namespace nadi
