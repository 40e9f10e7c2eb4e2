// SPDX-License-Identifier: GPL-2.0-only
#include "workload/generators/collective-workload.h"

#include "common/error.h"
#include "common/unit-parser.h"
#include "workload/execution-graph-builder.h"
#include "workload/generators/uniform-workload.h"
#include "workload/job-limits.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

bool
CountsShards(CollectiveType type)
{
    return type == CollectiveType::AllGather || type == CollectiveType::Gather ||
           type == CollectiveType::Scatter;
}

/// nccl-tests cuts shards in multiples of this many bytes.
constexpr int64_t SHARD_ALIGNMENT = 16;

/// The elements of a shard where the total is not that of whole shards: as nccl-tests rounds, which
/// is down, to a multiple of 16 bytes; below that to whole elements.
int64_t
RoundShard(const CollectiveWorkloadOptions& options, Bytes total)
{
    const int64_t elementBytes = options.elementSize.Count();
    const int64_t elements = total.Count() / options.ranks / elementBytes;
    // 16 bytes in elements, rounded up.
    const int64_t aligned = (SHARD_ALIGNMENT + elementBytes - 1) / elementBytes;
    return elements < aligned ? elements : elements / aligned * aligned;
}

/// A call's size in elements; `note` is what the user should know, or empty.
struct CallSize
{
    uint64_t elements = 0;
    std::string note;
};

CallSize
FindTotalSize(const CollectiveWorkloadOptions& options, const CollectiveSpec& spec)
{
    const int64_t unit = options.elementSize.Count() * int64_t{options.ranks};
    if (spec.size.Count() % unit == 0)
    {
        return {static_cast<uint64_t>(spec.size.Count() / unit), ""};
    }
    const int64_t elements = RoundShard(options, spec.size);
    return {static_cast<uint64_t>(elements),
            fmt::format("{} of {} in all has no whole shards for {} ranks; it runs with {} B, "
                        "rounded down as nccl-tests does",
                        ToText(spec.type),
                        ToText(spec.size),
                        options.ranks,
                        elements * unit)};
}

CallSize
FindSize(const CollectiveWorkloadOptions& options, const CollectiveSpec& spec)
{
    if (spec.type == CollectiveType::Barrier)
    {
        return {0,
                spec.size > Bytes() ? fmt::format("a barrier moves nothing: its size of {} has no "
                                                  "effect",
                                                  ToText(spec.size))
                                    : ""};
    }
    if (spec.sizeBasis == SizeBasis::Total && CountsShards(spec.type))
    {
        return FindTotalSize(options, spec);
    }
    const int64_t unit = options.elementSize.Count();
    if (spec.size.Count() % unit != 0)
    {
        throw ConfigError(options.where,
                          fmt::format("{} is no whole number of elements; write a multiple of {}",
                                      ToText(spec.size),
                                      ToText(options.elementSize)));
    }
    return {static_cast<uint64_t>(spec.size.Count() / unit), ""};
}

// Adds the calls of steps, each call after the nodes that it waits for. Node ids count from 0.
class StepWriter
{
  public:
    StepWriter(ExecutionGraphBuilder& builder, const CollectiveWorkloadOptions& options)
        : m_builder(builder)
        , m_options(options)
    {
    }

    void AddStep(const std::vector<CollectiveSpec>& step)
    {
        std::vector<uint64_t> lastOfStep;
        for (const CollectiveSpec& spec : step)
        {
            const uint64_t firstCall = m_nextId;
            AddCalls(spec);
            if (m_nextId > firstCall)
            {
                // Calls of a repeated collective wait for each other, so the last stands for all.
                lastOfStep.push_back(m_nextId - 1);
            }
        }
        // A step without calls leaves the next one waiting for the step before it.
        if (!lastOfStep.empty())
        {
            m_lastOfStep = std::move(lastOfStep);
        }
    }

    bool IsEmpty() const
    {
        return m_nextId == 0;
    }

    std::vector<std::string> TakeNotes()
    {
        return std::move(m_notes);
    }

  private:
    void AddCalls(const CollectiveSpec& spec)
    {
        CallSize size = FindSize(m_options, spec);
        // A collective that is never called needs no note.
        if (!size.note.empty() && spec.repeat > 0)
        {
            m_notes.push_back(std::move(size.note));
        }
        const ExecutionNode call{
            .size = size.elements, .type = NodeType::Collective, .collective = spec.type};
        // The calls of a repeated collective follow one another; the first one follows the step
        // before.
        std::vector<uint64_t> after = m_lastOfStep;
        for (uint32_t i = 0; i < spec.repeat; ++i)
        {
            ExecutionNode node = call;
            node.id = m_nextId++;
            m_builder.AddNode(node, fmt::format("{} {}", ToText(spec.type), node.id), after);
            after = {node.id};
        }
    }

    ExecutionGraphBuilder& m_builder;
    const CollectiveWorkloadOptions& m_options;
    uint64_t m_nextId = 0;
    std::vector<uint64_t> m_lastOfStep; // the calls that end the step before
    std::vector<std::string> m_notes;
};

void
CheckCallCount(const CollectiveWorkloadOptions& options)
{
    uint64_t calls = 0;
    for (const std::vector<CollectiveSpec>& step : options.steps)
    {
        for (const CollectiveSpec& spec : step)
        {
            calls += spec.repeat;
        }
    }
    if (calls > MOST_NODES)
    {
        throw ConfigError(options.where,
                          fmt::format("workload.collective: {} calls are more than the {} of the "
                                      "largest job; repeat less",
                                      calls,
                                      MOST_NODES));
    }
}

} // namespace

Workload
MakeCollectiveWorkload(const CollectiveWorkloadOptions& options)
{
    // Order: before the graph is made, as too many calls would use up the memory.
    CheckCallCount(options);
    ExecutionGraphBuilder builder("workload.collective");
    StepWriter writer(builder, options);
    for (const std::vector<CollectiveSpec>& step : options.steps)
    {
        writer.AddStep(step);
    }
    if (writer.IsEmpty())
    {
        throw ConfigError(options.where,
                          "no collective is called; list one and repeat it at least once");
    }
    Workload workload = MakeUniformWorkload(builder.Build(), options.ranks);
    workload.elementSize = options.elementSize;
    workload.notes = writer.TakeNotes();
    return workload;
}

} // namespace nadi
