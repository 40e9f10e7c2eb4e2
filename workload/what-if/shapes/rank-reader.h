// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/shapes/group-roles.h"
#include "workload/what-if/shapes/task-meaning.h"
#include "workload/workload.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// Tells what the tasks of one rank count, from where they stand.
///
/// Blocks are told by their products (ReadForwardWorks). Collectives of a tensor group gather for
/// the block that follows or sum what the block before them gave out; behind an output head they
/// are of the loss. Sums over copies are of the blocks whose gradients they wait for; gathers, of
/// the blocks from the one that waits for them to the next that waits for a gather, or of what the
/// optimizer updated, in the order of the sums.
class RankReader
{
  public:
    /// Requires: the tasks of `rank` are its own. All outlive the reader.
    RankReader(const Workload& job,
               const JobStructure& structure,
               const GroupRoles& roles,
               const RankStructure& rank,
               const std::string& wish);

    /// Throws ConfigError, with the task, for one that cannot be told.
    RankMeaning Read();

  private:
    void SetPlaces();
    void ReadForward(size_t pass);
    void ReadBackward(size_t pass);
    void AddWorks(std::vector<BlockWork> works);
    size_t MirrorOf(size_t pass) const;
    TaskList SegmentOf(size_t pass, size_t segment) const;
    void OrderWorks();
    size_t OrderOf(uint32_t node) const;
    const BlockWork* WorkBefore(uint32_t node) const;
    const BlockWork* WorkBehind(uint32_t node) const;
    void ReadCalls();
    void ReadCall(uint32_t node);
    void ReadTensorCall(uint32_t node);
    void ReadSum(uint32_t node);
    ParameterSet BlocksOf(const std::vector<uint32_t>& works) const;
    ParameterSet BlocksOfSum(uint32_t node) const;
    ParameterSet Select(uint32_t node, const ParameterSet& all) const;
    void ReadGathers();
    std::vector<uint32_t> FirstUsersOf(uint32_t gather) const;
    void ReadCoveredBlocks(const std::map<uint32_t, size_t>& firstUses);
    void PairWithSums(const std::vector<uint32_t>& gathers);
    void ReadEmbeddingSum(uint32_t node);
    void ReadMessage(uint32_t node);
    void ReadOptimizer();
    void SetCopies(uint32_t node);
    bool IsSum(uint32_t node) const;

    const Workload& m_job;
    const JobStructure& m_structure;
    const GroupRoles& m_roles;
    const RankStructure& m_rank;
    const ExecutionGraph& m_graph;
    SizeSightings m_sizes;
    RankMeaning m_result;
    std::vector<std::vector<uint32_t>> m_parents;
    std::vector<std::vector<std::vector<BlockWork>>> m_forward; ///< by pass and segment
    std::map<CommunicatorId, std::vector<uint32_t>> m_sums;     ///< of gradients, in order
};

} // namespace nadi
