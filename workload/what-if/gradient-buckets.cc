// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/gradient-buckets.h"

#include "common/error.h"
#include "workload/what-if/bucket-finder.h"
#include "workload/what-if/graph-changes.h"
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

/// Whether gradients of one layer are in two of them.
bool
ShareUnits(const std::vector<Bucket>& buckets)
{
    std::set<uint32_t> summed;
    for (const Bucket& bucket : buckets)
    {
        for (const GradientUnit& unit : bucket.units)
        {
            if (!summed.insert(unit.kernels.back()).second)
            {
                return true;
            }
        }
    }
    return false;
}

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

/// The changes of a graph by nodes, to be put in the order of the program.
class BucketChanges
{
  public:
    explicit BucketChanges(const RecordedStage& stage)
        : m_stage(stage)
    {
        m_changes.removed.resize(stage.Graph().NodeCount(), false);
    }

    /// A call in place of some that go.
    void Add(AddedCall call, const std::vector<uint32_t>& inPlaceOf)
    {
        for (const uint32_t node : inPlaceOf)
        {
            m_changes.removed[node] = true;
        }
        m_calls.push_back({std::move(call), inPlaceOf});
    }

    ExecutionGraph Apply()
    {
        // RewriteGraph takes calls in the order of the nodes behind which they stand. The sort is
        // stable, so calls behind the same node keep the order in which they were added.
        std::ranges::stable_sort(m_calls, {}, [](const auto& call) { return call.first.behind; });
        for (auto& [call, inPlaceOf] : m_calls)
        {
            for (const uint32_t node : inPlaceOf)
            {
                m_changes.replacements[node].push_back(m_changes.added.size());
            }
            m_changes.added.push_back(std::move(call));
        }
        ChainGathers();
        return RewriteGraph(m_stage.Graph(), m_changes);
    }

  private:
    static bool IsGather(const ExecutionNode& node)
    {
        return node.collective == CollectiveType::AllGather;
    }

    /// Gathers that go, in the order of the program.
    std::vector<uint32_t> FindRecordedGathers() const
    {
        std::vector<uint32_t> gathers;
        for (const auto& [node, calls] : m_changes.replacements)
        {
            if (IsGather(m_stage.Graph().Node(node)))
            {
                gathers.push_back(node);
            }
        }
        return gathers;
    }

    /// Where the recorded gathers wait for one another, the new ones do, too, and the first of them
    /// waits for what the recorded first one does.
    void ChainGathers()
    {
        const std::vector<uint32_t> recorded = FindRecordedGathers();
        if (recorded.size() < 2 || !IsChain(recorded, m_stage.Parents()))
        {
            return;
        }
        std::optional<size_t> last;
        for (size_t index = 0; index < m_changes.added.size(); ++index)
        {
            AddedCall& call = m_changes.added[index];
            if (!IsGather(call.call.node))
            {
                continue;
            }
            call.after = last ? call.after : m_stage.ParentsOf(recorded.front());
            std::erase_if(call.after,
                          [&recorded](uint32_t node)
                          { return std::ranges::count(recorded, node) > 0; });
            if (last)
            {
                m_changes.follows[index] = *last;
            }
            last = index;
        }
    }

    const RecordedStage& m_stage;
    GraphChanges m_changes;
    std::vector<std::pair<AddedCall, std::vector<uint32_t>>> m_calls;
};

/// A gather of the parameters of some of the units of a bucket.
AddedCall
MakeGather(const RecordedStage& stage, uint32_t gather, uint64_t size)
{
    // The call waits for all that the recorded gather waits for, as kernels of the optimizer are
    // not dealt to buckets.
    AddedCall call{.call = CopyNode(stage.Graph(), gather),
                   .after = stage.ParentsOf(gather),
                   .behind = gather};
    call.call.node.size = size;
    return call;
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

/// The last task of a pass, or of all passes where none is given.
uint32_t
LastOfPasses(const RecordedStage& stage, std::optional<size_t> pass)
{
    uint32_t last = 0;
    for (uint32_t node = 0; node < stage.Graph().NodeCount(); ++node)
    {
        const std::optional<RecordedStage::Place>& place = stage.PlaceOf(node);
        // Nodes are in the order of the program, so the last one counts.
        last = place && (!pass || place->pass == *pass) ? node : last;
    }
    return last;
}

/// Whether sums before this one are to be put together with it: those of one micro-batch.
bool
EndsMicroBatch(const RecordedStage& stage, const std::vector<Bucket>& sums, size_t at)
{
    return at + 1 < sums.size() &&
           stage.Passes()[sums[at].pass].microBatch != stage.Passes()[sums[at + 1].pass].microBatch;
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

/// Also where nobody sums their gradients: those count before a bucket is full.
bool
HasExperts(const JobStructure& structure)
{
    return structure.degrees.expert.value_or(1) > 1 ||
           std::ranges::any_of(structure.groups,
                               [](const GroupUse& use)
                               { return use.role == GroupRole::ExpertData; });
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

/// Calls with the first rank of each graph.
template <typename Visit>
void
VisitGraphs(const Workload& job, const JobStructure& structure, const Visit& visit)
{
    std::set<uint32_t> done;
    for (const RankStructure& rank : structure.ranks)
    {
        const uint32_t graph = job.graphOfRank[rank.rank];
        if (done.insert(graph).second)
        {
            visit(graph, rank);
        }
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
