// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/bucket-changes.h"
#include "workload/what-if/bucket-facts.h"
#include "workload/what-if/bucket-finder.h"
#include "workload/what-if/gradient-buckets.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/parameter-share.h"
#include "workload/what-if/unit-sizes.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

using Kind = GradientUnit::Kind;

/// Throws ConfigError.
void
CheckSingle(const ExecutionGraph& graph, const std::vector<Bucket>& buckets)
{
    if (ShareUnits(buckets))
    {
        RefuseBuckets(graph,
                      "gradients of a layer are in two of them; a recording in which each "
                      "layer has its own sum tells");
    }
}

bool
SpanUnits(const std::vector<Bucket>& buckets)
{
    return std::ranges::any_of(buckets,
                               [](const Bucket& bucket) { return bucket.units.size() > 1; });
}

/// What a sum is called, with what the name of its last unit is called in place.
std::string
NameFor(const ExecutionGraph& graph, const Bucket& bucket, const GradientUnit& unit)
{
    std::string name(graph.Name(bucket.sum));
    const std::string last = NameOfGradients(graph, bucket.units.back());
    // Only a name that begins with that of the last unit is changed. Any other name says something
    // else, and stays.
    if (!last.empty() && name.starts_with(last))
    {
        name.replace(0, last.size(), NameOfGradients(graph, unit));
    }
    return name;
}

/// One sum of several, with the dependencies of all.
AddedCall
MakeSum(const ExecutionGraph& graph, const Bucket& bucket, const GradientUnit& unit)
{
    // Behind the last kernel of the unit: there its gradients are complete.
    AddedCall sum{
        .call = CopyNode(graph, bucket.sum), .after = unit.kernels, .behind = unit.kernels.back()};
    sum.call.name = NameFor(graph, bucket, unit);
    return sum;
}

ExecutionGraph
TakeApart(const RecordedStage& stage, const std::vector<Bucket>& buckets, const UnitSizes& sizes)
{
    const ExecutionGraph& graph = stage.Graph();
    BucketChanges changes(stage);
    for (const Bucket& bucket : buckets)
    {
        const uint64_t all = std::max<uint64_t>(1, graph.Node(bucket.sum).size);
        for (const GradientUnit& unit : bucket.units)
        {
            AddedCall sum = MakeSum(graph, bucket, unit);
            sum.call.node.size = sizes.Of(unit.kind);
            if (bucket.gather)
            {
                // A gather is in proportion to its sum, so each part gets its share.
                const ParameterShare share{sum.call.node.size, all};
                const uint64_t size = share.Of(graph.Node(*bucket.gather).size);
                changes.Add(MakeGather(stage, *bucket.gather, size), {*bucket.gather});
            }
            changes.Add(std::move(sum), {bucket.sum});
        }
    }
    return changes.Apply();
}

/// The least bytes of a bucket that was full. The last bucket of a micro-batch may be what was
/// left, so nothing where there is no other.
std::optional<uint64_t>
FindFull(const RecordedStage& stage, const std::vector<Bucket>& buckets)
{
    std::optional<uint64_t> full;
    for (size_t at = 0; at + 1 < buckets.size(); ++at)
    {
        const uint64_t size = stage.Graph().Node(buckets[at].sum).size;
        // The end of the list is left out, as the last bucket of all is the last of its
        // micro-batch.
        full = EndsMicroBatch(stage, buckets, at) ? full : std::min(full.value_or(size), size);
    }
    return full;
}

/// The least bytes of a last bucket of a micro-batch that stands before the last task of its pass.
uint64_t
FindWithinPass(const RecordedStage& stage, const std::vector<Bucket>& buckets)
{
    uint64_t least = NEVER_FULL;
    for (size_t at = 0; at < buckets.size(); ++at)
    {
        const bool isLast = at + 1 == buckets.size() || EndsMicroBatch(stage, buckets, at);
        if (isLast && buckets[at].sum < LastOfPasses(stage, buckets[at].pass))
        {
            least = std::min(least, stage.Graph().Node(buckets[at].sum).size);
        }
    }
    return least;
}

/// Throws ConfigError.
void
CheckHasNoExperts(const JobStructure& structure, const ExecutionGraph& graph)
{
    if (HasExperts(structure))
    {
        RefuseBuckets(graph,
                      "some are of experts, whose parts of a bucket are unknown; a recording in "
                      "which each layer has its own sums tells");
    }
}

} // namespace

UnbucketedJob
TakeBucketsApart(const Workload& job, const JobStructure& structure)
{
    UnbucketedJob result{.job = job};
    uint64_t full = NEVER_FULL;
    bool spansUnits = false;
    std::set<uint64_t> ofLayer;
    // First what all graphs tell together, as the buckets of one stage may tell what a layer has
    // where those of another do not. Then each is taken apart.
    const auto learn = [&](uint32_t graph, const RankStructure& rank)
    {
        const BucketFinder finder(job, structure, rank);
        const std::vector<Bucket> buckets = finder.Find();
        if (buckets.empty())
        {
            return;
        }
        full = std::min(full, FindFull(finder.Stage(), buckets).value_or(NEVER_FULL));
        result.withinPassBytes =
            std::min(result.withinPassBytes, FindWithinPass(finder.Stage(), buckets));
        spansUnits |= SpanUnits(buckets);
        if (const auto size = UnitSizes(job.graphs[graph], buckets, std::nullopt).Find(Kind::Layer))
        {
            ofLayer.insert(*size);
        }
    };
    VisitGraphs(job, structure, learn);
    if (!spansUnits)
    {
        return result;
    }
    const auto takeApart = [&](uint32_t graph, const RankStructure& rank)
    {
        const BucketFinder finder(job, structure, rank);
        const std::vector<Bucket> buckets = finder.Find();
        const ExecutionGraph& recorded = job.graphs[graph];
        // Layers of stages are alike. If two stages tell different sizes, neither helps the others.
        const UnitSizes sizes(recorded,
                              buckets,
                              ofLayer.size() == 1 ? std::optional(*ofLayer.begin()) : std::nullopt);
        CheckHasNoExperts(structure, recorded);
        CheckSingle(recorded, buckets);
        sizes.Check(buckets);
        result.job.graphs[graph] = TakeApart(finder.Stage(), buckets, sizes);
    };
    VisitGraphs(job, structure, takeApart);
    result.bucketBytes = full;
    return result;
}

} // namespace nadi
