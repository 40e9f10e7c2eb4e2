// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/axis-numbering.h"
#include "workload/what-if/communicator-list.h"
#include "workload/what-if/shapes/shape-reading.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// The ranks of a job with other tensor-parallel and expert-parallel degrees: where they come from,
/// who is in their groups, and who their peers are. Ranks that differ in their place in a tensor
/// group alone stay as far apart. Those that share the experts of a layer are neighbours among the
/// copies.
class ShapeRanks
{
  public:
    /// The degrees of the job as recorded, and as they are to be.
    struct Degrees
    {
        uint32_t tensorBefore = 1;
        uint32_t tensor = 1;
        uint32_t expertBefore = 1;
        uint32_t expert = 1;
    };

    /// Throws ConfigError where the ranks of tensor groups do not stand equally far apart, or there
    /// are more than MOST_NEW_RANKS. The references outlive it.
    ShapeRanks(const Workload& job, const ShapeReading& reading, const Degrees& degrees);

    uint32_t RankCount() const
    {
        return m_rankCount;
    }

    /// The recorded rank whose tasks a new one has, in parts of other sizes.
    uint32_t SourceOf(uint32_t rank) const;

    /// In its tensor group.
    uint32_t PlaceOf(uint32_t rank) const
    {
        return AreOther() ? m_to.PlaceOf(rank) : m_reading.placeOfRank[rank];
    }

    /// By group of the graph. Throws ConfigError where a group holds several ranks of a tensor
    /// group, and not all.
    std::vector<CommunicatorId> GroupsOf(uint32_t rank);

    /// The tensor group of a new rank.
    CommunicatorId TensorGroupOf(uint32_t rank);

    /// The ranks with which a new one shares the experts of a layer. Throws ConfigError where its
    /// copies cannot be told.
    CommunicatorId SharedExpertsOf(uint32_t rank);

    std::vector<RankId> PeersOf(uint32_t rank) const;

    const std::vector<Communicator>& Communicators() const
    {
        return m_communicators.All();
    }

  private:
    /// What a group of a graph holds, where that is about copies of parameters.
    enum class CopyUse : uint8_t
    {
        None,
        Copies,
        Experts,
        ExpertCopies,
    };

    bool AreOther() const
    {
        return m_degrees.tensor != m_degrees.tensorBefore;
    }

    const std::vector<bool>& CalledIn(uint32_t graph);
    const std::vector<CopyUse>& UsesIn(uint32_t graph);
    void NoteUse(std::vector<CopyUse>& uses, uint32_t graph, uint32_t node) const;
    std::vector<RankId> MoveGroup(const std::vector<RankId>& ranks, uint32_t place) const;
    std::vector<RankId> RespreadExperts(uint32_t source, uint32_t group, CopyUse use);
    const std::vector<RankId>& CopiesOf(uint32_t source);
    const std::vector<RankId>& RecordedGroup(uint32_t source, uint32_t group) const;

    const Workload& m_job;
    const ShapeReading& m_reading;
    Degrees m_degrees;
    AxisNumbering m_from;
    AxisNumbering m_to;
    uint32_t m_rankCount;
    CommunicatorList m_communicators;
    std::map<uint32_t, std::vector<bool>> m_called;  ///< by graph and group
    std::map<uint32_t, std::vector<CopyUse>> m_uses; ///< likewise
};

} // namespace nadi
