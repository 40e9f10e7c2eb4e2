// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"
#include "system/synthesis/message-times.h"
#include "system/synthesis/synthesis.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi::synthesis
{

/// A built-in algorithm over one list of all ranks, or over the dimensions of the stack, as a
/// program.
struct BuiltInProgram
{
    std::string name;
    uint32_t pieces = 1; ///< of StackedPlan
    MessageProgram program;
    SimTime predicted; ///< by ProgramForecast
};

/// No built-in program has more messages: to forecast it would take longer than a synthesis.
inline constexpr uint64_t MOST_MESSAGES_FORECAST = 100'000;

/// How long the program takes by ProgramForecast. Nothing: longer than `most`, or it has too many
/// messages.
std::optional<SimTime> ForecastProgram(const MessageProgram& program,
                                       const SynthesisSurroundings& surroundings,
                                       const SynthesisRequest& request,
                                       const MessageCosts& costs,
                                       SimTime most = SimTime::Max());

/// The registered algorithms that can run the collective over one list of its ranks, or in each
/// dimension of the stack, without the help of switches, with their default parameters; the one
/// that is predicted to end first comes first. Those that take more than twice as long as the
/// first one, or as `best`, are left out. Their orders are not proven. None for all-to-alls and
/// barriers, and for groups of one.
///
/// Requires: the collective has elements.
std::vector<BuiltInProgram> MakeBuiltInPrograms(const SynthesisSurroundings& surroundings,
                                                const SynthesisRequest& request,
                                                const MessageCosts& costs,
                                                SimTime best = SimTime::Max());

} // namespace nadi::synthesis
