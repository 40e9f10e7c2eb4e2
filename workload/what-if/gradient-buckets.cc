// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/gradient-buckets.h"

#include "common/error.h"
#include "workload/what-if/bucket-changes.h"
#include "workload/what-if/bucket-facts.h"
#include "workload/what-if/bucket-finder.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// Writes the sums of one graph together.
class BucketFiller
{
  public:
    BucketFiller(const RecordedStage& stage,
                 std::vector<Bucket> sums,
                 uint64_t bucketBytes,
                 uint64_t withinPassBytes)
        : m_stage(stage)
        , m_graph(stage.Graph())
        , m_sums(std::move(sums))
        , m_bucketBytes(bucketBytes)
        , m_withinPassBytes(withinPassBytes)
        , m_changes(stage)
    {
    }

    ExecutionGraph Run()
    {
        // Gradients come in the order of the backward pass, and a bucket is summed once it is full.
        // Gradients of different micro-batches never share one.
        for (size_t at = 0; at < m_sums.size(); ++at)
        {
            m_waiting.push_back(at);
            m_bytes += m_graph.Node(m_sums[at].sum).size;
            if (m_bytes >= m_bucketBytes)
            {
                Flush(m_sums[at].units.back().kernels.back());
            }
            else if (EndsMicroBatch(m_stage, m_sums, at))
            {
                // Nothing more comes in this micro-batch, so what is left is summed behind its
                // pass.
                FlushRest(m_sums[at].pass);
            }
        }
        FlushRest(std::nullopt);
        return m_changes.Apply();
    }

  private:
    /// What is left of the micro-batch of a pass, or of all where none is given.
    void FlushRest(std::optional<size_t> pass)
    {
        const bool isWithinPass = !m_waiting.empty() && m_bytes >= m_withinPassBytes;
        Flush(isWithinPass ? m_sums[m_waiting.back()].units.back().kernels.back()
                           : LastOfPasses(m_stage, pass));
    }

    void Flush(uint32_t behind)
    {
        if (m_waiting.empty())
        {
            return;
        }
        // A bucket has the name of its last unit (NameFor), so the last sum is copied.
        AddedCall sum{.call = CopyNode(m_graph, m_sums[m_waiting.back()].sum), .behind = behind};
        sum.call.node.size = m_bytes;
        std::vector<uint32_t> sums;
        std::vector<uint32_t> gathers;
        uint64_t gathered = 0;
        for (const size_t each : m_waiting)
        {
            for (const GradientUnit& unit : m_sums[each].units)
            {
                sum.after.insert(sum.after.end(), unit.kernels.begin(), unit.kernels.end());
            }
            sums.push_back(m_sums[each].sum);
            if (m_sums[each].gather)
            {
                gathers.push_back(*m_sums[each].gather);
                gathered += m_graph.Node(gathers.back()).size;
            }
        }
        if (!gathers.empty())
        {
            m_changes.Add(MakeGather(m_stage, gathers.back(), gathered), gathers);
        }
        m_changes.Add(std::move(sum), sums);
        m_waiting.clear();
        m_bytes = 0;
    }

    const RecordedStage& m_stage;
    const ExecutionGraph& m_graph;
    std::vector<Bucket> m_sums;
    uint64_t m_bucketBytes;
    uint64_t m_withinPassBytes;
    BucketChanges m_changes;
    std::vector<size_t> m_waiting; // for the bucket to be full
    uint64_t m_bytes = 0;
};

/// Throws ConfigError where it is unknown which sums are put together.
void
CheckCanFill(const JobStructure& structure, const std::vector<Bucket>& sums)
{
    if (HasExperts(structure) || ShareUnits(sums))
    {
        throw ConfigError("what-if: bucket",
                          "the layers have experts, or sums of their gradients apart from others, "
                          "and how these share buckets is unknown; leave bucket out");
    }
}

} // namespace

Workload
PutInBuckets(const Workload& job,
             const JobStructure& structure,
             uint64_t bucketBytes,
             uint64_t withinPassBytes)
{
    Workload made = job;
    const auto fill = [&](uint32_t graph, const RankStructure& rank)
    {
        const BucketFinder finder(job, structure, rank);
        std::vector<Bucket> sums = finder.Find();
        CheckCanFill(structure, sums);
        made.graphs[graph] =
            BucketFiller(finder.Stage(), std::move(sums), bucketBytes, withinPassBytes).Run();
    };
    VisitGraphs(job, structure, fill);
    return made;
}

} // namespace nadi
