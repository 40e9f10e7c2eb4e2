// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"
#include "workload/tools/inspection/trace-check.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace nadi::test
{

/// The trace of a rank.
using Nodes = std::vector<TraceNode>;

inline TraceNode
MakeMessage(
    uint64_t id, ChakraProtoMsg::NodeType type, int64_t peer, int64_t tag, int64_t size = 64)
{
    const bool isSend = type == ChakraProtoMsg::COMM_SEND_NODE;
    return TraceNode(id, type)
        .Cpu(false)
        .Int(isSend ? "comm_dst" : "comm_src", peer)
        .Int("comm_tag", tag)
        .Int("comm_size", size);
}

inline TraceNode
Send(uint64_t id, int64_t peer, int64_t tag, int64_t size = 64)
{
    return MakeMessage(id, ChakraProtoMsg::COMM_SEND_NODE, peer, tag, size);
}

inline TraceNode
Receive(uint64_t id, int64_t peer, int64_t tag, int64_t size = 64)
{
    return MakeMessage(id, ChakraProtoMsg::COMM_RECV_NODE, peer, tag, size);
}

inline TraceNode
Collective(uint64_t id, ChakraProtoMsg::CollectiveCommType type, int64_t size)
{
    return TraceNode(id, ChakraProtoMsg::COMM_COLL_NODE)
        .Cpu(false)
        .Int("comm_type", type)
        .Int("comm_size", size);
}

/// The check of a job whose ranks have these traces, in files x.0.et, x.1.et, ...
inline TraceCheck
CheckJobOf(const std::vector<Nodes>& ranks, const std::string& groups = "")
{
    const ScratchDirectory scratch("check");
    std::vector<std::string> files;
    for (size_t rank = 0; rank < ranks.size(); ++rank)
    {
        files.push_back(
            scratch.Write(fmt::format("x.{}.et", rank), MakeTrace(ranks[rank])).string());
    }
    std::optional<std::string> groupsFile;
    if (!groups.empty())
    {
        groupsFile = scratch.Write("groups.json", groups).string();
    }
    TraceCheck check = CheckTraces(files, groupsFile);
    for (Finding& finding : check.findings)
    {
        finding.where = scratch.WithoutPath(finding.where);
    }
    return check;
}

/// Whether there is a finding of this severity whose line has all the parts.
inline bool
Has(const TraceCheck& check, Severity severity, const std::vector<std::string>& parts)
{
    for (const Finding& finding : check.findings)
    {
        const std::string line = DescribeFinding(finding);
        UNSCOPED_INFO(ToText(severity) << ": " << line);
        const bool hasAll = std::all_of(parts.begin(),
                                        parts.end(),
                                        [&](const std::string& part)
                                        { return line.find(part) != std::string::npos; });
        if (finding.severity == severity && hasAll)
        {
            return true;
        }
    }
    return false;
}

} // namespace nadi::test
