// SPDX-License-Identifier: GPL-2.0-only
#include "workload/generators/collective-workload.h"

#include "common/error.h"
#include "common/unit-parser.h"
#include "workload/execution-graph-builder.h"
#include "workload/generators/uniform-workload.h"

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

[[noreturn]] void
ThrowIndivisible(const CollectiveWorkloadOptions& options,
                 const CollectiveSpec& spec,
                 SizeMeaning meaning)
{
    if (meaning == SizeMeaning::Shard)
    {
        throw ConfigError(options.where,
                          fmt::format("{} is no whole number of elements; write a multiple of {}",
                                      ToText(spec.size),
                                      ToText(options.elementSize)));
    }
    throw ConfigError(options.where,
                      fmt::format("{0} is not divisible into {1} whole shards, as the total of {2} "
                                  "over {1} ranks; write a multiple of {3}",
                                  ToText(spec.size),
                                  options.ranks,
                                  ToText(spec.type),
                                  ToText(options.elementSize * options.ranks)));
}

// The size of the call in elements.
uint64_t
CountElements(const CollectiveWorkloadOptions& options, const CollectiveSpec& spec)
{
    if (spec.type == CollectiveType::Barrier)
    {
        return 0;
    }
    const bool isTotal = spec.sizeMeaning == SizeMeaning::Total && CountsShards(spec.type);
    const int64_t unit = options.elementSize.Count() * (isTotal ? int64_t{options.ranks} : 1);
    if (spec.size.Count() % unit != 0)
    {
        ThrowIndivisible(options, spec, isTotal ? SizeMeaning::Total : SizeMeaning::Shard);
    }
    return static_cast<uint64_t>(spec.size.Count() / unit);
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
                lastOfStep.push_back(m_nextId - 1);
            }
        }
        if (!lastOfStep.empty())
        {
            m_lastOfStep = std::move(lastOfStep);
        }
    }

    bool IsEmpty() const
    {
        return m_nextId == 0;
    }

  private:
    void AddCalls(const CollectiveSpec& spec)
    {
        const ExecutionNode call{.size = CountElements(m_options, spec),
                                 .type = NodeType::Collective,
                                 .collective = spec.type};
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
};

} // namespace

Workload
MakeCollectiveWorkload(const CollectiveWorkloadOptions& options)
{
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
    return workload;
}

} // namespace nadi
