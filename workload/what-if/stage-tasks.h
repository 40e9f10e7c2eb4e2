// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/new-stage.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace nadi
{

/// A task of a new stage. Its id is its place among them.
struct NewTask
{
    enum class Kind : uint8_t
    {
        Copied,    ///< of the node of a source
        Receive,   ///< put in before a pass
        Send,      ///< put in behind a pass
        SumOfEnds, ///< put in: gradients of a matrix that both ends of the pipeline have
    };

    Kind kind = Kind::Copied;
    const RecordedStage* source = nullptr;
    uint32_t node = 0;          ///< of the source
    std::optional<size_t> pass; ///< of the new stage
};

/// The tasks of a new stage in the order of its program: what is before all passes, the passes in
/// their new order, and what is after them; and where each of them stands.
class StageTasks
{
  public:
    /// The reference outlives it. Throws ConfigError where a stage between others would get what
    /// only the first or the last one was recorded with.
    explicit StageTasks(const NewStage& stage);

    const std::vector<NewTask>& All() const
    {
        return m_tasks;
    }

    /// Nothing: the pass has no such task.
    std::optional<uint64_t> FindId(size_t pass, const PassSlot& slot) const;

    /// Of a node of the base that is in no pass. Requires: it is not dropped.
    uint64_t IdOutside(uint32_t node) const
    {
        return m_idOfNode[node];
    }

    /// Whether a node of the base that is in no pass has no place in the new stage: a call of a
    /// group that it is not in, or a sum of gradients that it does not have.
    bool IsDropped(uint32_t node) const;

    /// The kernel that a pass ends with.
    uint64_t LastKernelOf(size_t pass) const
    {
        return m_lastKernel[pass];
    }

    /// The receive that was put in before a pass. Requires: its entry has no stage.
    uint64_t ReceiveOf(size_t pass) const
    {
        return m_receives.at(pass);
    }

    /// Of the sum of both ends that was put in.
    std::optional<uint64_t> SumOfEnds() const
    {
        return m_sumOfEnds;
    }

    /// The pass of the new stage. Requires: it does it, as it does all of each micro-batch.
    size_t FindPass(const PipelinePass& pass) const;

  private:
    void ListOutside(uint32_t begin, uint32_t end);
    void ListPass(size_t pass);
    void ListParts(size_t pass, const StagePart& source, const std::vector<PassSlot::Part>& parts);
    void CheckIsMessage(const RecordedStage& source, uint32_t node) const;
    bool IsSumOfOthers(size_t pass, const RecordedStage& source, uint32_t node) const;
    bool IsOfOtherSide(uint32_t node) const;
    void NumberTasks();

    const NewStage& m_stage;
    const RecordedStage& m_base;
    std::vector<NewTask> m_tasks;
    std::vector<std::map<PassSlot, uint64_t>> m_idAt; // by pass
    std::vector<uint64_t> m_lastKernel;               // by pass
    std::map<size_t, uint64_t> m_receives;            // by pass
    std::vector<uint64_t> m_idOfNode;                 // of the base, outside of passes
    std::optional<uint64_t> m_sumOfEnds;
};

} // namespace nadi
