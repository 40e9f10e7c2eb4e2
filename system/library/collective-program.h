// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/shape.h"
#include "system/collective-schedule.h"
#include "system/collective-type.h"
#include "system/communicator.h"
#include "system/library/algorithm-table.h"
#include "system/library/protocol.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// What is known of the plan that a collective followed, before its first message.
enum class ProgramProof : uint8_t
{
    None,    ///< it followed no stored program (CollectiveAlgorithm::Programs)
    Proven,  ///< its program keeps the promise of the collective (FindProgramFault)
    Matched, ///< the messages of its program meet; nobody knows what they carry
};

/// What a communication library decided for a collective, in the words of `collectives.csv`.
struct LibraryDecision
{
    std::string algorithm; ///< "ring", or one per dimension: "ring+halving-doubling"
    std::string protocol;  ///< "LL", "Simple"; empty where the library has only one
    uint32_t channels = 1; ///< ways through the network that it uses side by side
    std::string chosenBy;  ///< who chose: "default", "user", an estimate; empty: nobody says
    ProgramProof proof = ProgramProof::None;
    /// What the user asked the library for, and why something else ran: "nvls: its ranks are in
    /// several nodes". Empty: the user asked for nothing, or for what ran.
    std::string unmet = {};
    /// Switches of nodes reduce in it, in time alone: no link carries these bytes.
    bool hasUnseenSwitches = false;
};

/// What of a collective does not depend on who runs it and when: shared by all communicators of one
/// shape and all their calls of one size. A training job repeats a few such programs thousands of
/// times, so planning is paid for once.
///
/// Two kinds of libraries fit. One cuts the collective into chunks that cross the dimensions phase
/// by phase, each phase with a plan of an algorithm (DimensionPrograms). The other has a plan of
/// its own for the whole communicator: one chunk with one phase (MakeWholeProgram).
struct CollectiveProgram
{
    CollectiveType type = CollectiveType::AllReduce;
    CollectiveSchedule schedule;
    /// Of a phase type along a dimension, for the types that occur. Owner: the library.
    std::map<std::pair<uint32_t, CollectiveType>, const ChosenAlgorithm*> algorithms;
    std::vector<LineOrder> lines;                       ///< by dimension
    uint32_t lanesAtOnce = 1;                           ///< of one stage of a plan on one rank
    std::optional<uint32_t> sendsAtOnce = std::nullopt; ///< PlanRequest::sendsAtOnce
    const Protocol* protocol = nullptr;                 ///< of all messages. Owner: the library
    LibraryDecision decision;
    uint64_t number = 0; ///< of ProgramCache: no other program of the run has it, or had it
    /// What PlanCollective was asked; none where it did not make the schedule.
    std::optional<ScheduleRequest> planned = std::nullopt;

    const Phase& PhaseAt(PhaseReference reference) const
    {
        return schedule.chunks[reference.chunk].phases[reference.phase];
    }

    /// Whether switches help in some phase.
    bool NeedsTrees() const
    {
        return std::any_of(algorithms.begin(),
                           algorithms.end(),
                           [](const auto& entry)
                           { return entry.second->algorithm->NeedsTrees().has_value(); });
    }

    /// Whether some phase follows a stored program (CollectiveAlgorithm::Programs).
    bool HasStoredPrograms() const
    {
        return std::any_of(algorithms.begin(),
                           algorithms.end(),
                           [](const auto& entry)
                           { return entry.second->algorithm->Programs() != nullptr; });
    }

    uint32_t DimensionCount() const
    {
        return static_cast<uint32_t>(schedule.admission.size());
    }
};

/// What a program is made for.
struct ProgramRequest
{
    CollectiveType type = CollectiveType::AllReduce;
    uint64_t elements = 0; ///< of the call; the largest, where members bring different sizes
    /// They do, or cut them unevenly: the layout is flat, and the plan must fit UnevenSizes, as
    /// `direct` does.
    bool isUneven = false;
    bool isWithoutSwitches = false; ///< none has a place for it, so that none may help
    const CommunicatorLayout& layout;
    /// Whose algorithm runs it (SystemOptions::nodeAlgorithms): the layout is flat. None: that of
    /// the type does.
    std::optional<NodeId> node = std::nullopt;
};

} // namespace nadi
