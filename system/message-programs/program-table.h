// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/algorithm-table.h"
#include "system/message-programs/program-maker.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace nadi
{

/// The stored programs of a simulation: each is made when it is first asked for, and kept as long
/// as the table.
class ProgramTable
{
  public:
    /// What the surroundings refer to outlives the table.
    explicit ProgramTable(const ProgramSurroundings& surroundings)
        : m_surroundings(surroundings)
    {
    }

    /// Valid as long as the table. Throws ConfigError as ProgramMaker::Make. Requires: the
    /// algorithm has Programs.
    const StoredProgram& Require(const ChosenAlgorithm& chosen, const ProgramWish& wish);

    size_t Size() const
    {
        return m_programs.size();
    }

    /// StoredProgram::complaint of its programs, each sentence once, and a sentence for each file
    /// and type with a StoredProgram::excess.
    std::set<std::string> Complaints() const;

  private:
    /// The algorithm, the type, the ranks, the root, the class of the size, the communicator.
    using Key = std::tuple<uint32_t,
                           CollectiveType,
                           std::vector<RankId>,
                           uint32_t,
                           uint64_t,
                           std::optional<CommunicatorId>>;

    const StoredProgram& RequireSimple(const ChosenAlgorithm& chosen, const ProgramWish& wish);
    Key KeyOf(const ChosenAlgorithm& chosen, const ProgramWish& wish) const;

    ProgramSurroundings m_surroundings;
    std::map<Key, StoredProgram> m_programs;       // by simple wishes (ProgramMaker::Simplify)
    std::map<Key, const StoredProgram*> m_answers; // by wishes as they came
};

} // namespace nadi
