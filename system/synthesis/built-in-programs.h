// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"
#include "system/synthesis/message-times.h"
#include "system/synthesis/synthesis.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi::synthesis
{

/// A built-in algorithm over one list of all ranks, as a program.
struct BuiltInProgram
{
    std::string name;
    MessageProgram program;
    SimTime predicted; ///< by ProgramForecast
};

/// Larger groups have no built-in programs: to store and to forecast one takes longer than a
/// synthesis.
inline constexpr uint32_t MOST_RANKS_OF_BUILT_IN = 16;

/// The registered algorithms that can run the collective over one list of its ranks, without the
/// help of switches, with their default parameters; the one that is predicted to end first comes
/// first. Only those whose order can be proven (FindProgramFault). None for all-to-alls and
/// barriers, for groups of one, and above MOST_RANKS_OF_BUILT_IN.
///
/// Requires: the collective has elements.
std::vector<BuiltInProgram> MakeBuiltInPrograms(const SynthesisSurroundings& surroundings,
                                                const SynthesisRequest& request,
                                                const MessageCosts& costs);

} // namespace nadi::synthesis
