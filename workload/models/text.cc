// SPDX-License-Identifier: GPL-2.0-only
#include "common/text.h"

#include "common/error.h"
#include "workload/models/generated-job.h"
#include "workload/models/model-parameters.h"
#include "workload/models/text-file.h"
#include "workload/models/text-writer.h"
#include "workload/workload-model.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

/// A text workload of ASTRA-sim 1.0, every policy; its cycles are nanoseconds. Kernels have
/// durations, so that `system.compute` may be left as it is. See MakeTextGraph for what waits for
/// what.
class TextModel : public WorkloadModel
{
  public:
    static constexpr const char* Help =
        "A workload in the text format of ASTRA-sim 1.0. Its compute times are cycles of 1 ns.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {{"file", ParameterKind::Path, "", "The path of the text workload."},
                MakeCount("passes",
                          "1",
                          "The number of training steps, which run one after the other.",
                          {.least = 1})};
    }

    explicit TextModel(const Parameters& parameters)
        : m_file(ReadTextFile(parameters.Get<std::string>("file")))
        , m_passes(ReadCount(parameters, "passes"))
    {
    }

    Workload Make(const JobPlace& place) const override
    {
        if (m_file.ranks.value_or(place.ranks) != place.ranks)
        {
            throw ConfigError("file",
                              fmt::format("is of a job of {} (all_gpus:), and this one has {}; "
                                          "write as many ranks",
                                          CountText(*m_file.ranks, "rank"),
                                          place.ranks));
        }
        const RankBlocks blocks(place.ranks, FindBlock(place));
        if (m_passes > 1)
        {
            const uint64_t nodes = MakeTextGraph(m_file, blocks, 1).NodeCount();
            CheckNodeCount({"passes", "passes", m_passes, std::max<uint64_t>(nodes, 1)});
        }
        GeneratedJob generated;
        generated.graphs.push_back(MakeTextGraph(m_file, blocks, m_passes));
        generated.graphOfRank.assign(place.ranks, 0);
        generated.groupOf = [blocks](uint32_t rank, const std::string& group)
        { return blocks.GroupOf(rank, group); };
        return MakeGeneratedWorkload(std::move(generated));
    }

  private:
    /// How many neighbours work together in a layer that is cut two ways.
    uint32_t FindBlock(const JobPlace& place) const
    {
        const bool isMixed = std::any_of(m_file.layers.begin(),
                                         m_file.layers.end(),
                                         [](const TextLayer& layer) {
                                             return layer.policy == TextPolicy::DataModel ||
                                                    layer.policy == TextPolicy::ModelData;
                                         });
        // Where there are no blocks this is 1, which divides any number of ranks.
        uint32_t block = isMixed && !place.dimensions.empty() ? place.dimensions.front() : 1;
        if (m_file.policy == TextPolicy::Transformer)
        {
            block = m_file.modelRanks;
        }
        if (isMixed && place.dimensions.size() < 2)
        {
            throw ConfigError("file",
                              "has data and model parallelism, but the stack has one "
                              "dimension; write network.dimensions or system.dimensions of "
                              "two or more");
        }
        if (block == 0 || place.ranks % block != 0)
        {
            throw ConfigError("file",
                              fmt::format("groups of {} ranks do not divide the {} ranks of the "
                                          "job; write ranks that they do",
                                          block,
                                          place.ranks));
        }
        return block;
    }

    TextFile m_file;
    uint64_t m_passes;
};

NADI_REGISTER(WorkloadModel, TextModel, "text");

} // namespace nadi
