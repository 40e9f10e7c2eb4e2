// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/exports/param-calls.h"

#include "common/check.h"
#include "common/error.h"
#include "workload/document/node-attributes.h"
#include "workload/engine/node-route.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace nadi
{

namespace
{

using ChakraProtoMsg::AttributeProto;

/// How a collective is called, and what goes in and comes out, in shares: a share is the size of
/// the call, or that size cut by the number of members.
struct CollectiveForm
{
    const char* name;
    bool isCut = false;
    bool takesAll = false; ///< a share for each member goes in, else one share
    bool givesAll = false; ///< likewise for what comes out
};

CollectiveForm
FormOf(CollectiveType type)
{
    switch (type)
    {
    case CollectiveType::AllReduce:
        return {"allreduce"};
    case CollectiveType::AllGather:
        return {.name = "_allgather_base", .givesAll = true};
    case CollectiveType::ReduceScatter:
        return {.name = "_reduce_scatter_base", .isCut = true, .takesAll = true};
    case CollectiveType::AllToAll:
        return {.name = "all_to_all", .isCut = true, .takesAll = true, .givesAll = true};
    case CollectiveType::Broadcast:
        return {"broadcast"};
    case CollectiveType::Reduce:
        return {"reduce"};
    case CollectiveType::Gather:
        return {.name = "gather", .givesAll = true};
    case CollectiveType::Scatter:
        return {.name = "scatter", .takesAll = true};
    case CollectiveType::Barrier:
        break;
    }
    return {"barrier"};
}

template <class Values>
std::vector<uint64_t>
ToCounts(const Values& values)
{
    std::vector<uint64_t> counts;
    for (const auto value : values)
    {
        // A negative number becomes one that no sum of parts can be.
        counts.push_back(static_cast<uint64_t>(static_cast<int64_t>(value)));
    }
    return counts;
}

std::vector<uint64_t>
ReadCounts(const ChakraProtoMsg::Node& node, const char* name)
{
    const AttributeProto* const attribute = FindNamed(node, name);
    if (attribute == nullptr)
    {
        return {};
    }
    switch (attribute->value_case())
    {
    case AttributeProto::kInt32List:
        return ToCounts(attribute->int32_list().values());
    case AttributeProto::kInt64List:
        return ToCounts(attribute->int64_list().values());
    case AttributeProto::kUint32List:
        return ToCounts(attribute->uint32_list().values());
    case AttributeProto::kUint64List:
        return ToCounts(attribute->uint64_list().values());
    default:
        return {};
    }
}

bool
IsCommunication(const ExecutionNode& node)
{
    const NodeRoute route = FindRoute(node);
    return route == NodeRoute::Send || route == NodeRoute::Receive ||
           route == NodeRoute::Collective;
}

/// Makes the calls of one rank's nodes.
class ParamCallMaker
{
  public:
    ParamCallMaker(const Workload& job, RankId rank, const TraceDocument* document)
        : m_job(job)
        , m_rank(rank)
        , m_graph(job.GraphOf(rank))
        , m_document(document)
    {
        NADI_CHECK(document == nullptr || document->nodes.size() == m_graph.NodeCount());
    }

    /// Requires: the node communicates.
    ParamCall Make(uint32_t index) const
    {
        return m_graph.Node(index).type == NodeType::Collective ? MakeCollective(index)
                                                                : MakeMessage(index);
    }

  private:
    uint64_t BytesOf(const ExecutionNode& node) const
    {
        return static_cast<uint64_t>((m_job.elementSize * static_cast<int64_t>(node.size)).Count());
    }

    ParamElement WantedElement(uint32_t index) const
    {
        const AttributeProto* const dtype =
            m_document == nullptr ? nullptr : FindNamed(m_document->nodes[index], "dtype");
        return dtype == nullptr ? ParamElement{} : FindParamElement(dtype->string_val());
    }

    [[noreturn]] void Fail(uint32_t index, const std::string& problem) const
    {
        throw ConfigError(
            m_graph.Source(),
            fmt::format("node {} ({}): {}", m_graph.Node(index).id, m_graph.Name(index), problem));
    }

    ParamCall MakeMessage(uint32_t index) const
    {
        const ExecutionNode& node = m_graph.Node(index);
        ParamCall call;
        call.name = node.type == NodeType::Send ? "send" : "recv";
        call.place = m_job.PeerOf(m_rank, node).value; // in the communicator of all ranks
        call.element = ChooseParamElement(WantedElement(index), BytesOf(node), 1);
        call.inElements = call.outElements = BytesOf(node) / call.element.bytes;
        return call;
    }

    const Communicator& GroupOf(uint32_t index) const
    {
        const auto id = m_job.communicatorOfGroup[m_rank.value][m_graph.Node(index).group];
        const Communicator& group = m_job.communicators[id.value];
        if (std::find(group.ranks.begin(), group.ranks.end(), m_rank) == group.ranks.end())
        {
            Fail(index,
                 fmt::format("its group does not have rank {}; add the rank to the group",
                             m_rank.value));
        }
        return group;
    }

    ParamCall MakeCollective(uint32_t index) const
    {
        const ExecutionNode& node = m_graph.Node(index);
        const Communicator& group = GroupOf(index);
        const CollectiveForm form = FormOf(node.collective);
        const uint64_t members = group.ranks.size();
        const uint64_t shares = form.isCut ? members : 1;
        ParamCall call;
        call.name = form.name;
        call.group = group.id;
        call.place = FindRoot(node, group);
        call.element = ChooseParamElement(WantedElement(index), BytesOf(node), shares);
        const uint64_t shareBytes = shares * call.element.bytes;
        const uint64_t share = (BytesOf(node) + shareBytes - 1) / shareBytes;
        call.inElements = share * (form.takesAll ? members : 1);
        call.outElements = share * (form.givesAll ? members : 1);
        if (node.collective == CollectiveType::AllToAll && m_document != nullptr)
        {
            SetSplits(index, members, call);
        }
        return call;
    }

    static uint32_t FindRoot(const ExecutionNode& node, const Communicator& group)
    {
        const auto found =
            HasRoot(node.collective)
                ? std::find(group.ranks.begin(), group.ranks.end(), RankId{node.peer})
                : group.ranks.end();
        return found == group.ranks.end() ? 0 : static_cast<uint32_t>(found - group.ranks.begin());
    }

    /// The parts of an all-to-all, if the trace says them.
    void SetSplits(uint32_t index, uint64_t members, ParamCall& call) const
    {
        const ChakraProtoMsg::Node& node = m_document->nodes[index];
        std::vector<uint64_t> in = ReadCounts(node, "in_split_size");
        std::vector<uint64_t> out = ReadCounts(node, "out_split_size");
        if (in.empty() || out.empty())
        {
            return;
        }
        const ParamElement element = WantedElement(index);
        const uint64_t inElements = CheckSplits(index, members, in);
        if (inElements * element.bytes != BytesOf(m_graph.Node(index)))
        {
            Fail(index,
                 fmt::format("in_split_size has {} elements of {} bytes in all, but its size is {} "
                             "bytes; write parts whose sum it is",
                             inElements,
                             element.bytes,
                             BytesOf(m_graph.Node(index))));
        }
        call.name = "all_to_allv";
        call.element = element;
        call.inElements = inElements;
        call.outElements = CheckSplits(index, members, out);
        call.inSplits = std::move(in);
        call.outSplits = std::move(out);
    }

    /// The sum of the parts.
    uint64_t
    CheckSplits(uint32_t index, uint64_t members, const std::vector<uint64_t>& splits) const
    {
        constexpr uint64_t most = uint64_t{1} << 40; // elements, so that no sum overflows
        const bool fits =
            std::all_of(splits.begin(), splits.end(), [](uint64_t count) { return count <= most; });
        if (splits.size() != members || !fits)
        {
            Fail(index,
                 fmt::format("in_split_size and out_split_size do not fit a group of {} ranks; "
                             "write for each a number of elements from 0",
                             members));
        }
        return std::accumulate(splits.begin(), splits.end(), uint64_t{0});
    }

    const Workload& m_job;
    RankId m_rank;
    const ExecutionGraph& m_graph;
    const TraceDocument* m_document;
};

/// The calls and waits of one rank, in order.
class ParamCallList
{
  public:
    ParamCallList(const ExecutionGraph& graph, const ParamCallMaker& maker)
        : m_graph(graph)
        , m_maker(maker)
        , m_order(graph.TopologicalOrder())
        , m_places(graph.NodeCount())
        , m_endingAt(graph.NodeCount() + 1)
    {
        for (uint32_t place = 0; place < m_order.size(); ++place)
        {
            m_places[m_order[place]] = place;
        }
    }

    std::vector<ParamCall> List()
    {
        for (uint32_t place = 0; place < m_order.size(); ++place)
        {
            AddWaits(place);
            if (IsCommunication(m_graph.Node(m_order[place])))
            {
                AddCall(m_order[place]);
            }
        }
        AddWaits(m_graph.NodeCount());
        return std::move(m_calls);
    }

  private:
    void AddCall(uint32_t index)
    {
        ParamCall call = m_maker.Make(index);
        call.request = m_requestCount++;
        if (call.name != "barrier")
        {
            m_endingAt[FirstChild(index)].push_back(m_calls.size());
        }
        m_calls.push_back(std::move(call));
    }

    /// The place of the first node that depends on it; past the last one if none does.
    uint32_t FirstChild(uint32_t index) const
    {
        uint32_t first = m_graph.NodeCount();
        for (const uint32_t child : m_graph.Children(index))
        {
            first = std::min(first, m_places[child]);
        }
        return first;
    }

    void AddWaits(uint32_t place)
    {
        for (const size_t at : m_endingAt[place])
        {
            ParamCall wait;
            wait.name = "wait";
            wait.request = m_calls[at].request;
            wait.group = m_calls[at].group;
            m_calls.push_back(std::move(wait));
        }
    }

    const ExecutionGraph& m_graph;
    const ParamCallMaker& m_maker;
    std::vector<uint32_t> m_order;
    std::vector<uint32_t> m_places;              // of each node in the order
    std::vector<std::vector<size_t>> m_endingAt; // calls to be waited for before a place
    std::vector<ParamCall> m_calls;
    uint64_t m_requestCount = 0;
};

} // namespace

std::vector<ParamCall>
ListParamCalls(const Workload& job, RankId rank, const TraceDocument* document)
{
    const ParamCallMaker maker(job, rank, document);
    return ParamCallList(job.GraphOf(rank), maker).List();
}

} // namespace nadi
