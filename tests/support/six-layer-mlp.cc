// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/six-layer-mlp.h"

#include "common/units.h"
#include "workload/execution-graph-builder.h"
#include "workload/trace-writer.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

namespace
{

// A layer of the workload MLP_ModelParallel that comes with ASTRA-sim 1.0 (inputs/workload). Its
// times are cycles of 1 ns. The "Chakra" paper (S. Sridharan et al., arXiv 2305.14516, 2023,
// section 6.2) shows a six-layer, model-parallel MLP on an 8 x 8 torus with links of 62 GB/s. The
// column of update times is left out, as Chakra's own converter does: it belongs to weight
// gradients that are communicated, and these are not.
struct Layer
{
    const char* name;
    int64_t forwardNs;
    int64_t inputGradientNs;
    int64_t weightGradientNs;
    uint64_t activationBytes; // per rank; the all-gather's shard and the all-reduce's buffer
};

constexpr std::array<Layer, 6> MLP_LAYERS{{
    {"mlp0", 32291, 32291, 12864, 37632},
    {"mlp1", 7488, 7488, 3648, 65536},
    {"mlp2", 7488, 7488, 3456, 65536},
    {"mlp3", 14144, 14144, 10368, 147456},
    {"mlp4", 7488, 7488, 3648, 65536},
    {"mlp5", 9984, 9984, 3456, 65536},
}};

// Adds the nodes of the step in order of their ids, from 0.
class StepBuilder
{
  public:
    ExecutionGraph Build()
    {
        for (const Layer& layer : MLP_LAYERS)
        {
            AddForward(layer);
        }
        for (auto layer = MLP_LAYERS.rbegin(); layer != MLP_LAYERS.rend(); ++layer)
        {
            AddBackward(*layer);
        }
        return m_builder.Build();
    }

  private:
    void AddForward(const Layer& layer)
    {
        const uint64_t forward = AddCompute(layer.forwardNs, layer, " forward", m_last);
        m_last = {AddCollective(CollectiveType::AllGather, layer, " activations", forward)};
    }

    void AddBackward(const Layer& layer)
    {
        const uint64_t inputs = AddCompute(layer.inputGradientNs, layer, " input gradient", m_last);
        m_last.clear();
        if (&layer != &MLP_LAYERS.front())
        {
            m_last.push_back(
                AddCollective(CollectiveType::AllReduce, layer, " input gradient sum", inputs));
        }
        m_last.push_back(AddCompute(layer.weightGradientNs, layer, " weight gradient", {inputs}));
    }

    uint64_t AddCompute(int64_t durationNs,
                        const Layer& layer,
                        const char* what,
                        const std::vector<uint64_t>& after)
    {
        const ExecutionNode node{.id = m_nextId,
                                 .durationPs = SimTime::FromNs(durationNs).Ps(),
                                 .type = NodeType::Compute};
        m_builder.AddNode(node, std::string(layer.name) + what, after);
        return m_nextId++;
    }

    uint64_t
    AddCollective(CollectiveType type, const Layer& layer, const char* what, uint64_t after)
    {
        const ExecutionNode node{.id = m_nextId,
                                 .size = layer.activationBytes,
                                 .type = NodeType::Collective,
                                 .collective = type};
        m_builder.AddNode(node, std::string(layer.name) + what, {after});
        return m_nextId++;
    }

    ExecutionGraphBuilder m_builder{"mlp-six-layers"};
    uint64_t m_nextId = 0;
    std::vector<uint64_t> m_last; // what the next layer waits for
};

} // namespace

ExecutionGraph
MakeMlp()
{
    return StepBuilder().Build();
}

void
WriteMlpTrace(const std::string& path)
{
    WriteTrace(MakeMlp(), path);
}

} // namespace nadi
