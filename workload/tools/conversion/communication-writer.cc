// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/communication-writer.h"

#include "common/check.h"
#include "workload/document/node-attributes.h"
#include "workload/trace/schema.h"

#include <numeric>

namespace nadi
{

namespace
{

using ChakraProtoMsg::Node;
using CallKind = PytorchCall::Kind;

/// comm_type of schema 1.0.0, looked up in the table by which traces are read.
int64_t
FindTypeNumber(CollectiveType type)
{
    for (int64_t number = 0; ChakraProtoMsg::CollectiveCommType_IsValid(static_cast<int>(number));
         ++number)
    {
        if (FindCollectiveType(TraceSchema::V004, number) == type)
        {
            return number;
        }
    }
    NADI_CHECK(false);
    return 0;
}

/// Without splits all parts are equal, and the attribute is left out.
void
WriteSplits(const char* name, const std::vector<int64_t>& splits, Node& node)
{
    if (splits.empty())
    {
        return;
    }
    ChakraProtoMsg::AttributeProto& attribute = *node.add_attr();
    attribute.set_name(name);
    attribute.mutable_int64_list()->mutable_values()->Add(splits.begin(), splits.end());
}

} // namespace

void
CommunicationWriter::Write(const PytorchCall& call, Node& node)
{
    if (call.kind == CallKind::Collective && call.type)
    {
        WriteCollective(call, node);
    }
    else if (call.kind == CallKind::Send || call.kind == CallKind::Receive)
    {
        WriteMessage(call, node);
    }
    else
    {
        CountUnknown();
    }
}

void
CommunicationWriter::CountUnknown()
{
    m_notes.Count(
        "communication kernels, of which the recording does not tell what they carry, stay "
        "compute of their recorded durations");
}

std::vector<uint32_t>
CommunicationWriter::FindRanks(const PytorchCall& call) const
{
    if (!call.ranks.empty())
    {
        return call.ranks;
    }
    const auto found = call.group ? m_known.find(*call.group) : m_known.end();
    // All ranks: a group that is defined without a list, one that is not defined and as large as
    // the job, and a call that says nothing of its group.
    const bool isAll = (found != m_known.end() && found->second.empty()) ||
                       (found == m_known.end() && call.groupSize.value_or(0) == m_worldSize) ||
                       (!call.group && !call.groupSize);
    if (!isAll)
    {
        return found == m_known.end() ? std::vector<uint32_t>{} : found->second;
    }
    std::vector<uint32_t> ranks(m_worldSize);
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

/// Whether the group could be told.
bool
CommunicationWriter::WriteGroup(const PytorchCall& call, Node& node)
{
    const std::vector<uint32_t> ranks = FindRanks(call);
    if (call.group)
    {
        if (ranks.empty())
        {
            m_notes.Count("collectives are of groups whose ranks the recording does not list: it "
                          "is taken to be those ranks whose traces use the name");
        }
        SetText(node,
                NodeAttribute::Group,
                ranks.empty() ? *call.group : m_groups.Resolve(*call.group, ranks, m_worldSize));
        return true;
    }
    if (ranks.empty())
    {
        m_notes.Count("collectives are of groups of fewer ranks that the recording does not name: "
                      "they stay compute of their recorded durations");
        return false;
    }
    // A node without the attribute is of all ranks.
    if (ranks.size() != m_worldSize)
    {
        SetText(node, NodeAttribute::Group, m_groups.Resolve("unnamed", ranks, m_worldSize));
    }
    if (!call.groupSize && call.ranks.empty())
    {
        m_notes.Count("collectives name no group: they are taken to be of all ranks");
    }
    return true;
}

/// The group is written first: where it cannot be told, the node stays compute.
void
CommunicationWriter::WriteCollective(const PytorchCall& call, Node& node)
{
    if (!WriteGroup(call, node))
    {
        return;
    }
    node.set_type(ChakraProtoMsg::COMM_COLL_NODE);
    SetNumber(node, NodeAttribute::CollectiveType, FindTypeNumber(*call.type));
    WriteSize(call, node);
    // Without the attribute a reader takes the first rank of the group.
    if (HasRoot(*call.type))
    {
        const std::optional<uint32_t> root = FindPartner(call);
        m_notes.Count("collectives do not tell their root, which is taken to be the first rank of "
                      "the group",
                      root ? 0 : 1);
        if (root)
        {
            SetNumber(node, NodeAttribute::Root, *root);
        }
    }
    WriteSplits("in_split_size", call.inputSplits, node);
    WriteSplits("out_split_size", call.outputSplits, node);
}

/// Without the other rank nobody would meet the message, so the node stays compute.
void
CommunicationWriter::WriteMessage(const PytorchCall& call, Node& node)
{
    const std::optional<uint32_t> partner = FindPartner(call);
    if (!partner)
    {
        m_notes.Count("sends and receives do not tell the other rank: they stay compute of their "
                      "recorded durations");
        return;
    }
    const bool isSend = call.kind == CallKind::Send;
    node.set_type(isSend ? ChakraProtoMsg::COMM_SEND_NODE : ChakraProtoMsg::COMM_RECV_NODE);
    SetNumber(node, isSend ? NodeAttribute::Destination : NodeAttribute::Source, *partner);
    // Recordings tell no tags. Messages between two ranks meet in their order.
    SetNumber(node, NodeAttribute::Tag, 0);
    WriteSize(call, node);
}

/// A node without a size is still communication: the reader of the trace takes 0 and tells of it.
void
CommunicationWriter::WriteSize(const PytorchCall& call, Node& node)
{
    const std::optional<uint64_t> size = call.FindSize();
    if (!size)
    {
        m_notes.Count("communication nodes have no size, as the recording does not tell it");
        return;
    }
    SetNumber(node, NodeAttribute::CommunicationSize, static_cast<int64_t>(*size));
}

/// The global rank of the root or of the other side. Nothing where it is not told, where only its
/// place in a group of unknown members is, or where it passes 31 bits, as the attributes are int32.
std::optional<uint32_t>
CommunicationWriter::FindPartner(const PytorchCall& call) const
{
    constexpr uint32_t most = INT32_MAX;
    if (call.partnerRank)
    {
        return *call.partnerRank <= most ? call.partnerRank : std::nullopt;
    }
    const std::vector<uint32_t> ranks = FindRanks(call);
    const bool isMember = call.partnerPlace && *call.partnerPlace < ranks.size();
    return isMember && ranks[*call.partnerPlace] <= most ? std::optional(ranks[*call.partnerPlace])
                                                         : std::nullopt;
}

} // namespace nadi
