// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/exports/param-call-maker.h"

#include "common/check.h"
#include "common/error.h"
#include "workload/document/node-attributes.h"

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
///
/// The size of a call is what a rank puts in, but of a scatter what it gets. The trace of a call
/// has the elements of both sides.
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

/// A negative number becomes one that is too large for a part, which CheckSplits refuses.
std::vector<uint64_t>
ReadCounts(const ChakraProtoMsg::Node& node, SplitList list)
{
    std::vector<uint64_t> counts;
    for (const int64_t number : GetSplits(node, list).numbers)
    {
        counts.push_back(static_cast<uint64_t>(number));
    }
    return counts;
}

uint32_t
FindRoot(const ExecutionNode& node, const Communicator& group)
{
    // Where the node names no root, or one that is not in the group, the first member is the root.
    const auto found = HasRoot(node.collective)
                           ? std::find(group.ranks.begin(), group.ranks.end(), RankId{node.peer})
                           : group.ranks.end();
    return found == group.ranks.end() ? 0 : static_cast<uint32_t>(found - group.ranks.begin());
}

/// Makes a call whose parts count something of so many bytes, of which PARAM has no type, one whose
/// parts count bytes.
void
CountBytes(uint64_t bytes, std::vector<uint64_t>& in, std::vector<uint64_t>& out, ParamCall& call)
{
    for (std::vector<uint64_t>* const parts : {&in, &out})
    {
        for (uint64_t& part : *parts)
        {
            part *= bytes;
        }
    }
    call.inElements *= bytes;
    call.outElements *= bytes;
}

} // namespace

ParamCallMaker::ParamCallMaker(const UnevenExchanges& exchanges,
                               RankId rank,
                               const TraceDocument* document)
    : m_exchanges(exchanges)
    , m_job(exchanges.Job())
    , m_rank(rank)
    , m_graph(m_job.GraphOf(rank))
    , m_document(document)
{
    NADI_CHECK(document == nullptr || document->nodes.size() == m_graph.NodeCount());
}

ParamCall
ParamCallMaker::Make(uint32_t index) const
{
    return m_graph.Node(index).type == NodeType::Collective ? MakeCollective(index)
                                                            : MakeMessage(index);
}

void
ParamCallMaker::Fail(uint32_t index, const std::string& problem) const
{
    throw ConfigError(
        m_graph.Source(),
        fmt::format("node {} ({}): {}", m_graph.Node(index).id, m_graph.Name(index), problem));
}

uint64_t
ParamCallMaker::BytesOf(uint32_t index) const
{
    const auto size = static_cast<int64_t>(m_graph.Node(index).size);
    return static_cast<uint64_t>((m_job.elementSize * size).Count());
}

std::optional<ParamElement>
ParamCallMaker::SaidElement(uint32_t index) const
{
    const AttributeProto* const dtype =
        m_document == nullptr ? nullptr : FindNamed(m_document->nodes[index], "dtype");
    return dtype == nullptr ? std::nullopt : std::optional(FindParamElement(dtype->string_val()));
}

ParamElement
ParamCallMaker::WantedElement(uint32_t index) const
{
    return SaidElement(index).value_or(ParamElement{});
}

/// Requires: elements > 0, and the size is a multiple of it, as readers demand.
std::optional<ParamElement>
ParamCallMaker::ElementOfParts(uint32_t index, uint64_t elements) const
{
    const uint64_t bytes = BytesOf(index) / elements;
    const std::optional<ParamElement> said = SaidElement(index);
    return said && said->bytes == bytes ? said : FindParamElementOf(bytes);
}

const Communicator&
ParamCallMaker::GroupOf(uint32_t index) const
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

/// The group of the call stays that of all ranks, in which the place of a rank is its number.
ParamCall
ParamCallMaker::MakeMessage(uint32_t index) const
{
    const ExecutionNode& node = m_graph.Node(index);
    ParamCall call;
    call.name = node.type == NodeType::Send ? "send" : "recv";
    call.place = m_job.PeerOf(m_rank, node).value; // in the communicator of all ranks
    call.element = ChooseParamElement(WantedElement(index), BytesOf(index), 1);
    call.inElements = call.outElements = BytesOf(index) / call.element.bytes;
    return call;
}

ParamCall
ParamCallMaker::MakeCollective(uint32_t index) const
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
    // comm_replay counts elements. Where a share is no whole number of those of the wanted type,
    // bytes are counted instead.
    call.element = ChooseParamElement(WantedElement(index), BytesOf(index), shares);
    // A size that is no whole number of shares is rounded up, so that shares are equal.
    const uint64_t shareBytes = shares * call.element.bytes;
    const uint64_t share = (BytesOf(index) + shareBytes - 1) / shareBytes;
    call.inElements = share * (form.takesAll ? members : 1);
    call.outElements = share * (form.givesAll ? members : 1);
    if (node.collective == CollectiveType::AllToAll && SaysBothSplits(index))
    {
        SetSplits(index, members, call);
    }
    else if (const auto bytes = m_exchanges.Find(m_rank, index))
    {
        SetUneven(index, *bytes, call);
    }
    return call;
}

bool
ParamCallMaker::SaysBothSplits(uint32_t index) const
{
    return m_document != nullptr &&
           !GetSplits(m_document->nodes[index], SplitList::In).numbers.empty() &&
           !GetSplits(m_document->nodes[index], SplitList::Out).numbers.empty();
}

/// In elements of the wanted type where all parts of all members are whole ones, so that members of
/// one type agree; else in bytes.
void
ParamCallMaker::SetUneven(uint32_t index, const ExchangedBytes& bytes, ParamCall& call) const
{
    call.element = ChooseParamElement(WantedElement(index), bytes.unit, 1);
    const auto countElements = [&call](const std::vector<uint64_t>& parts)
    {
        std::vector<uint64_t> counts;
        for (const uint64_t part : parts)
        {
            counts.push_back(part / call.element.bytes);
        }
        return counts;
    };
    call.inElements = bytes.in / call.element.bytes;
    call.outElements = bytes.out / call.element.bytes;
    call.inSplits = countElements(bytes.sends);
    call.outSplits = countElements(bytes.receives);
    call.name = bytes.sends.empty() ? call.name : "all_to_allv";
}

void
ParamCallMaker::SetSplits(uint32_t index, uint64_t members, ParamCall& call) const
{
    const ChakraProtoMsg::Node& node = m_document->nodes[index];
    std::vector<uint64_t> in = ReadCounts(node, SplitList::In);
    std::vector<uint64_t> out = ReadCounts(node, SplitList::Out);
    call.name = "all_to_allv";
    call.inElements = CheckSplits(index, members, in);
    call.outElements = CheckSplits(index, members, out);
    if (call.inElements > 0)
    {
        // The size over the sum of the parts tells how long what they count is.
        const std::optional<ParamElement> element = ElementOfParts(index, call.inElements);
        if (!element)
        {
            CountBytes(BytesOf(index) / call.inElements, in, out, call);
        }
        call.element = element.value_or(FindParamElementOf(1).value());
    }
    call.inSplits = std::move(in);
    call.outSplits = std::move(out);
}

uint64_t
ParamCallMaker::CheckSplits(uint32_t index,
                            uint64_t members,
                            const std::vector<uint64_t>& splits) const
{
    constexpr uint64_t most = uint64_t{1} << 40; // elements, so that no sum overflows
    const bool fits =
        std::all_of(splits.begin(), splits.end(), [](uint64_t count) { return count <= most; });
    if (splits.size() != members || !fits)
    {
        Fail(index,
             fmt::format("in_split_size and out_split_size do not fit a group of {} ranks; write "
                         "for each a number of elements from 0",
                         members));
    }
    return std::accumulate(splits.begin(), splits.end(), uint64_t{0});
}

} // namespace nadi
