// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/communicator.h"
#include "system/execution/plan-cache.h"
#include "system/in-network/tree-table.h"
#include "system/library/collective-program.h"
#include "system/message-programs/program-table.h"
#include "system/phase-sizes.h"

#include <cstdint>
#include <map>
#include <tuple>

namespace nadi
{

/// The plans of one collective's phases: what each is asked for with, and what of the trees and the
/// stored programs it rests on.
class RunPlans
{
  public:
    /// All of it outlives this.
    struct Context
    {
        PlanCache& cache;
        const CommunicatorLayout& layout;
        const CollectiveProgram& program;
        TreeTable* trees = nullptr;       ///< null: no switch helps
        ProgramTable* programs = nullptr; ///< null: no algorithm has stored programs
        CommunicatorId communicator{};
        uint32_t elementBytes = 1;
        bool isUneven = false; ///< the plans are in units, one for each member's part (UnevenSizes)
    };

    explicit RunPlans(const Context& context);

    /// The plan of a phase on the line that begins at member `lineBase`. Goes back to the cache by
    /// Release().
    PlanCache::Entry& Acquire(const Phase& phase, const PhaseShape& shape, uint32_t lineBase);

    void Release(PlanCache::Entry& plan);

    /// How many elements of a phase's `elements` the member at `coordinate` owns after a
    /// reduce-scatter in the dimension.
    uint64_t OwnedLength(uint32_t dimension, uint64_t elements, uint32_t coordinate);

    /// The trees of a phase on that line. Null: no switch helps in it.
    const TreeGroup* TreesOf(const Phase& phase, uint32_t lineBase);

    /// How many streams its messages take on trees, of the phases that were asked for.
    uint32_t TreeStreams() const;

    /// The stored program that the phase follows. Null: it follows none. A collective with one has
    /// one chunk and one phase, and so one program.
    const StoredProgram*
    StoredProgramOf(const Phase& phase, const PhaseShape& shape, uint32_t lineBase);

  private:
    PlanRequest MakeRequest(const Phase& phase, const PhaseShape& shape, uint32_t lineBase);
    const ChosenAlgorithm& AlgorithmOf(const Phase& phase) const;

    Context m_context;
    bool m_hasTrees;
    bool m_hasStoredPrograms;
    /// By (dimension, phase type, line); where switches help.
    std::map<std::tuple<uint32_t, CollectiveType, uint32_t>, const TreeGroup*> m_trees;
    const StoredProgram* m_stored = nullptr; // once it was asked for
};

} // namespace nadi
