// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/new-stage.h"
#include "workload/what-if/stage-tasks.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi
{

/// What the tasks of a new stage wait for. Each takes it from a recorded task as its pattern: what
/// that took from its own pass, from the other pass of its micro-batch, from the micro-batch
/// before, to whose gradients it adds its own, or from the pass before it on its stage, comes from
/// there in the new order.
///
/// Where an edge of a chunk has messages that were put in, the first layer waits for the receive
/// and for the pass before, in place of a layer before it. Parameters that are gathered for it wait
/// for the pass before alone. The send waits for what the next layer would have waited for, and
/// backward for the last kernel of its pass.
class StageWaits
{
  public:
    /// The references outlive it.
    StageWaits(const NewStage& stage, const StageTasks& tasks);

    /// The ids that a task waits for. Throws ConfigError where it has no such pattern.
    std::vector<uint64_t> Of(const NewTask& task) const;

  private:
    using Ids = std::vector<uint64_t>;

    /// A recorded task as a pattern, and the new pass that it stands for.
    struct Pattern
    {
        StagePart part;
        uint32_t node = 0;
        size_t pass = 0;
    };

    StagePart PatternPartOf(size_t pass, const PassSlot& slot) const;
    void AddInPass(const NewTask& task, Ids& ids) const;
    static bool BeginsFirstPass(const RecordedStage& stage, uint32_t node);
    void AddParents(const Pattern& pattern, Ids& ids) const;
    void AddParent(const Pattern& pattern, uint32_t parent, Ids& ids) const;
    void AddOfSamePass(const Pattern& pattern, uint32_t parent, Ids& ids) const;
    void AddOfOtherPass(const Pattern& pattern, uint32_t parent, Ids& ids) const;
    void AddWhatIsBefore(const Pattern& pattern, Ids& ids) const;
    void AddPassBefore(size_t pass, Ids& ids) const;
    void AddInputs(size_t pass, Ids& ids) const;
    void AddOutputs(size_t pass, Ids& ids) const;
    void AddOutside(uint32_t node, Ids& ids) const;
    void AddEndOfPasses(uint32_t node, uint32_t parent, Ids& ids) const;
    void AddEndsOfOthers(Ids& ids) const;
    void AddEndOf(const RecordedStage& source, uint32_t node, uint32_t parent, Ids& ids) const;
    bool IsAfterLayers(uint32_t node) const;
    static bool IsAfterEach(const RecordedStage& source, uint32_t node, uint32_t parent);
    uint64_t IdAt(const Pattern& pattern, size_t pass, const PassSlot& slot) const;
    [[noreturn]] static void FailAt(const RecordedStage& stage, uint32_t node);

    const NewStage& m_stage;
    const StageTasks& m_tasks;
    const RecordedStage& m_base;
    std::vector<bool> m_isOptimizer; // by node of the base
};

} // namespace nadi
