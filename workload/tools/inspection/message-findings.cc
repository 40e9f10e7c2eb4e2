// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/checked-job.h"
#include "workload/tools/inspection/message-lists.h"
#include "workload/tools/inspection/repeated-findings.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// Counts what is wrong between two ranks, as the messages between them often have one mistake.
class MessageComparison
{
  public:
    MessageComparison(const CheckedJob& job, FindingList& findings)
        : m_job(job)
        , m_findings(findings)
    {
    }

    void Run()
    {
        for (const auto& [channel, nodes] : ListMessages(m_job))
        {
            TellSurplus(channel, nodes);
            CompareSizes(channel, nodes);
        }
        m_repeated.MoveTo(m_findings);
    }

  private:
    enum class Mistake : uint8_t
    {
        NoSend,
        NoReceive,
        Size,
    };

    void TellSurplus(const MessageChannel& channel, const ChannelNodes& nodes)
    {
        // The k-th send meets the k-th receive, so those without the other end are the last ones.
        for (size_t at = nodes.sends.size(); at < nodes.receives.size(); ++at)
        {
            Tell(Mistake::NoSend,
                 channel.destination,
                 channel.source,
                 nodes.receives[at],
                 fmt::format("waits for a message of tag {} from rank {}, which never sends it, so "
                             "that the job cannot finish; add the send, or correct rank and tag",
                             channel.tag,
                             channel.source));
        }
        for (size_t at = nodes.receives.size(); at < nodes.sends.size(); ++at)
        {
            Tell(Mistake::NoReceive,
                 channel.source,
                 channel.destination,
                 nodes.sends[at],
                 fmt::format("sends a message of tag {} to rank {}, which never receives it; add "
                             "the receive, or correct rank and tag",
                             channel.tag,
                             channel.destination));
        }
    }

    /// The k-th send is compared with the k-th receive, both in the static order. A run can pair
    /// them otherwise where several of a channel are ready at once (StaticProgress).
    void CompareSizes(const MessageChannel& channel, const ChannelNodes& nodes)
    {
        const ExecutionGraph& sender = m_job.workload.GraphOf(RankId{channel.source});
        const ExecutionGraph& receiver = m_job.workload.GraphOf(RankId{channel.destination});
        const size_t pairs = std::min(nodes.sends.size(), nodes.receives.size());
        for (size_t at = 0; at < pairs; ++at)
        {
            const ExecutionNode& send = sender.Node(nodes.sends[at]);
            const uint64_t expected = receiver.Node(nodes.receives[at]).size;
            // A receive that names no size takes what comes.
            if (expected != 0 && expected != send.size)
            {
                Tell(Mistake::Size,
                     channel.destination,
                     channel.source,
                     nodes.receives[at],
                     fmt::format("receives a message of tag {} and size {} from rank {}, which "
                                 "sends one of size {} in node {}; write one size",
                                 channel.tag,
                                 expected,
                                 channel.source,
                                 send.size,
                                 send.id));
            }
        }
    }

    void Tell(Mistake mistake, uint32_t rank, uint32_t peer, uint32_t node, const std::string& text)
    {
        const ExecutionGraph& graph = m_job.workload.GraphOf(RankId{rank});
        m_repeated.Add({static_cast<uint32_t>(mistake), rank, peer},
                       // A send ends without its receive, so a message that nobody takes does not
                       // keep the job from finishing.
                       {mistake == Mistake::NoReceive ? Severity::Warning : Severity::Error,
                        m_job.files[rank],
                        {graph.Node(node).id, std::string(graph.Name(node))}},
                       text);
    }

    const CheckedJob& m_job;
    FindingList& m_findings;
    RepeatedFindings m_repeated;
};

} // namespace

void
CompareMessages(const CheckedJob& job, FindingList& findings)
{
    MessageComparison(job, findings).Run();
}

} // namespace nadi
