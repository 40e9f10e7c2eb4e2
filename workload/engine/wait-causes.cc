// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/wait-causes.h"

#include "workload/engine/message-census.h"
#include "workload/engine/wait-text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace nadi
{

namespace
{

std::vector<RankId>
RanksOf(const std::vector<PendingCollective::Member>& members)
{
    std::vector<RankId> ranks;
    for (const PendingCollective::Member& member : members)
    {
        ranks.push_back(member.rank);
    }
    return ranks;
}

// How often each rank calls each communicator in the whole of its trace.
class CallCensus
{
  public:
    explicit CallCensus(const StuckJob& job)
    {
        for (uint32_t rank = 0; rank < job.workload.RankCount(); ++rank)
        {
            m_counts.push_back(job.plan.CountCalls(RankId{rank}));
        }
    }

    /// Whether the rank's trace has that call, made or not.
    bool Calls(RankId rank, const PendingCollective& collective) const
    {
        const auto found = m_counts[rank.value].find(collective.communicator);
        return found != m_counts[rank.value].end() && found->second > collective.call;
    }

  private:
    std::vector<std::map<CommunicatorId, uint32_t>> m_counts; // by rank
};

std::string
DescribeMissingCallers(const StuckJob& job,
                       const PendingCollective& collective,
                       const std::vector<RankId>& absent)
{
    const bool isOne = absent.size() == 1;
    return fmt::format("{} never {} {}: {} of that communicator; {} {} for it",
                       DescribeRanks(absent),
                       isOne ? "calls" : "call",
                       DescribeCollective(collective, job.workload.communicators),
                       isOne ? "its trace has fewer calls" : "their traces have fewer calls",
                       DescribeRanks(RanksOf(collective.arrived)),
                       collective.arrived.size() == 1 ? "waits" : "wait");
}

// A missing rank whose trace has the call is left out: it would call, but is stuck in something
// else.
void
AddMissingCallers(const StuckJob& job, const CallCensus& calls, std::vector<std::string>& causes)
{
    for (const PendingCollective& collective : job.collectives)
    {
        std::vector<RankId> absent;
        std::copy_if(collective.missing.begin(),
                     collective.missing.end(),
                     std::back_inserter(absent),
                     [&](RankId rank) { return !calls.Calls(rank, collective); });
        if (!absent.empty())
        {
            causes.push_back(DescribeMissingCallers(job, collective, absent));
        }
    }
}

// Names the tags that the peer sends in vain, too: if a trace has a wrong tag, the message that is
// missing is probably one of these.
std::string
DescribeMissingSend(const PointToPointCall& receive, const MessageCensus& census)
{
    const RankPair route{receive.peer, receive.rank};
    std::string cause = fmt::format("rank {} waits in {} for tag {} from rank {}, which ",
                                    receive.rank.value,
                                    DescribeNode(receive.node, receive.name),
                                    receive.tag,
                                    receive.peer.value);
    const uint64_t sends = census.CountSends(route, receive.tag);
    cause += sends == 0 ? "never sends it"
                        : fmt::format("sends it too rarely (sends: {}, receives: {})",
                                      sends,
                                      census.CountReceives(route, receive.tag));
    const std::vector<uint64_t> inVain = census.FindTagsSentInVain(route);
    if (!inVain.empty())
    {
        cause += fmt::format(", but sends tag {}, which rank {} does not receive",
                             fmt::join(inVain, ", "),
                             receive.rank.value);
    }
    return cause;
}

void
AddMissingSends(const StuckJob& job, std::vector<std::string>& causes)
{
    const MessageCensus census(job);
    for (const PendingPointToPoint& pending : job.pointToPoint)
    {
        const PointToPointCall& call = pending.call;
        const bool isReceive = call.direction == PointToPointCall::Direction::Receive;
        // Where the trace has enough sends, the missing one would still come: its rank is stuck in
        // something else.
        if (isReceive && !pending.isMatched && census.LacksSends({call.peer, call.rank}, call.tag))
        {
            causes.push_back(DescribeMissingSend(call, census));
        }
    }
}

// The lowest rank that waits in one collective and would call the other later.
std::optional<RankId>
FindBetween(const CallCensus& calls, const PendingCollective& held, const PendingCollective& wanted)
{
    const std::vector<RankId>& missing = wanted.missing;
    for (const PendingCollective::Member& member : held.arrived)
    {
        // Missing ranks are sorted (PendingCollective).
        if (std::binary_search(missing.begin(), missing.end(), member.rank) &&
            calls.Calls(member.rank, wanted))
        {
            return member.rank;
        }
    }
    return std::nullopt;
}

// Finds circles of two collectives only. Longer ones show in the report's cycle of ranks.
void
AddOppositeOrders(const StuckJob& job, const CallCensus& calls, std::vector<std::string>& causes)
{
    for (auto one = job.collectives.begin(); one != job.collectives.end(); ++one)
    {
        for (auto other = std::next(one); other != job.collectives.end(); ++other)
        {
            // Rank `first` waits in `one` and is still to call `other`; rank `second` the other way
            // round.
            const auto first = FindBetween(calls, *one, *other);
            const auto second = first ? FindBetween(calls, *other, *one) : std::nullopt;
            if (second)
            {
                causes.push_back(fmt::format(
                    "ranks {0} and {1} call two collectives in opposite order: rank {0} waits in "
                    "{2}, rank {1} in {3}",
                    first->value,
                    second->value,
                    DescribeCollective(*one, job.workload.communicators),
                    DescribeCollective(*other, job.workload.communicators)));
            }
        }
    }
}

} // namespace

std::vector<std::string>
FindWaitCauses(const StuckJob& job)
{
    const CallCensus calls(job);
    std::vector<std::string> causes;
    AddMissingCallers(job, calls, causes);
    AddMissingSends(job, causes);
    AddOppositeOrders(job, calls, causes);
    return causes;
}

} // namespace nadi
