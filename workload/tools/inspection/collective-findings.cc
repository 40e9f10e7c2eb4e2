// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/rendezvous.h"
#include "system/rank-text.h"
#include "workload/engine/job-check.h"
#include "workload/tools/inspection/call-lists.h"
#include "workload/tools/inspection/checked-job.h"
#include "workload/tools/inspection/repeated-findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

/// The collectives of one communicator, as its sound members call them.
///
/// The k-th calls of all members are compared with each other, for each k in turn: first whether
/// they are one call at all (type, missing calls), then what they say of it (size, root, splits).
class CommunicatorComparison
{
  public:
    CommunicatorComparison(const CheckedJob& job,
                           const Communicator& communicator,
                           const CallLists::Calls& calls,
                           FindingList& findings)
        : m_job(job)
        , m_communicator(communicator)
        , m_members(communicator.ranks.begin(), communicator.ranks.end())
        , m_calls(calls)
        , m_findings(findings)
    {
    }

    void Run()
    {
        size_t most = 0;
        for (const auto& [rank, nodes] : m_calls)
        {
            most = std::max(most, nodes.size());
        }
        for (uint32_t call = 0; call < most; ++call)
        {
            // After a call of other types, or one that some do not make, the next ones are no
            // longer the same calls on all ranks.
            if (!CompareTypes(call) || TellOfMissing(call))
            {
                break;
            }
            // All members have the call from here on.
            CompareSizes(call);
            CompareRoots(call);
            CompareSplits(call);
        }
        m_repeated.MoveTo(m_findings);
    }

  private:
    enum class Property : uint8_t
    {
        Type,
        Size,
        Root,
        Splits,
    };

    /// Null where the rank makes fewer calls.
    const ExecutionNode* FindCall(uint32_t rank, uint32_t call) const
    {
        const std::vector<uint32_t>& nodes = m_calls.at(rank);
        return call < nodes.size() ? &m_job.workload.GraphOf(RankId{rank}).Node(nodes[call])
                                   : nullptr;
    }

    /// The rank whose call has the value that most have; the lowest of them. If the first member
    /// were the model, a mistake of its own would be told of all others.
    ///
    /// Requires: some member makes the call.
    template <class Value>
    uint32_t FindModel(uint32_t call, Value valueOf) const
    {
        struct Count
        {
            uint32_t ranks = 0;
            uint32_t first = 0;
        };

        std::map<decltype(valueOf(ExecutionNode{})), Count> counts;
        for (const auto& [rank, nodes] : m_calls)
        {
            if (const ExecutionNode* const node = FindCall(rank, call))
            {
                Count& count = counts.try_emplace(valueOf(*node), Count{0, rank}).first->second;
                ++count.ranks;
            }
        }
        const auto most =
            std::max_element(counts.begin(),
                             counts.end(),
                             [](const auto& left, const auto& right)
                             {
                                 // The first ranks are swapped, so that of equal counts the lowest
                                 // rank is the model.
                                 return std::pair(left.second.ranks, right.second.first) <
                                        std::pair(right.second.ranks, left.second.first);
                             });
        return most->second.first;
    }

    /// Whether all who make the call make one of the same type.
    bool CompareTypes(uint32_t call)
    {
        const auto typeOf = [](const ExecutionNode& node) { return node.collective; };
        const uint32_t model = FindModel(call, typeOf);
        bool areEqual = true;
        for (const auto& [rank, nodes] : m_calls)
        {
            const ExecutionNode* const node = FindCall(rank, call);
            if (node != nullptr && node->collective != FindCall(model, call)->collective)
            {
                areEqual = false;
                Tell(
                    rank,
                    call,
                    Property::Type,
                    fmt::format("is call {} of {}: {}, but rank {} calls {} there, in node {}; one "
                                "of them lacks a call, has one too many, or calls in another "
                                "order",
                                call + 1,
                                Name(),
                                ToText(node->collective),
                                model,
                                ToText(FindCall(model, call)->collective),
                                FindCall(model, call)->id));
            }
        }
        return areEqual;
    }

    /// Whether there are members who make no such call, while others do.
    ///
    /// The comparison ends where this is true, so each rank has one such finding at most, and no
    /// RepeatedFindings are needed. The findings are about the file, as there is no node to name.
    bool TellOfMissing(uint32_t call)
    {
        uint32_t caller = 0;
        std::vector<uint32_t> missing;
        for (const auto& [rank, nodes] : m_calls)
        {
            if (FindCall(rank, call) == nullptr)
            {
                missing.push_back(rank);
            }
            else
            {
                caller = rank;
            }
        }
        for (const uint32_t rank : missing)
        {
            m_findings.Add(
                {.severity = Severity::Error,
                 .where = m_job.files[rank],
                 .ranks = {rank},
                 .text = fmt::format("calls {} collectives of {}, but rank {} calls {}, and would "
                                     "wait for ever in {}, node {}; add the calls that are missing "
                                     "or remove those",
                                     m_calls.at(rank).size(),
                                     Name(),
                                     caller,
                                     m_calls.at(caller).size(),
                                     ToText(FindCall(caller, call)->collective),
                                     FindCall(caller, call)->id),
                 .count = 0,
                 .nodes = {}});
        }
        return !missing.empty();
    }

    void CompareSizes(uint32_t call)
    {
        const auto sizeOf = [](const ExecutionNode& node) { return node.size; };
        const uint32_t model = FindModel(call, sizeOf);
        const ExecutionNode& right = *FindCall(model, call);
        // All calls are of one type here, so that of the model tells whether sizes may differ.
        if (MayDifferInSize(right.collective))
        {
            return;
        }
        for (const auto& [rank, nodes] : m_calls)
        {
            const ExecutionNode& node = *FindCall(rank, call);
            if (node.size != right.size)
            {
                Tell(rank,
                     call,
                     Property::Size,
                     fmt::format("has a comm_size of {} in call {} of {} ({}), but rank {} "
                                 "one of {}, in node {}; write one size",
                                 node.size,
                                 call + 1,
                                 Name(),
                                 ToText(node.collective),
                                 model,
                                 right.size,
                                 right.id));
            }
        }
    }

    /// A call that names no root has the first member as its root.
    uint32_t RootOf(const ExecutionNode& node) const
    {
        return node.peer == ExecutionNode::NO_ROOT ? m_communicator.ranks.front().value : node.peer;
    }

    void CompareRoots(uint32_t call)
    {
        const auto rootOf = [this](const ExecutionNode& node) { return RootOf(node); };
        const uint32_t model = FindModel(call, rootOf);
        const ExecutionNode& right = *FindCall(model, call);
        if (!HasRoot(right.collective))
        {
            return;
        }
        for (const auto& [rank, nodes] : m_calls)
        {
            const ExecutionNode& node = *FindCall(rank, call);
            const uint32_t root = RootOf(node);
            // This is asked before the model is: if most members name a root outside of the group,
            // so does the model.
            if (!m_members.contains(RankId{root}))
            {
                Tell(rank,
                     call,
                     Property::Root,
                     fmt::format("has rank {} as its root, which is not in {}; name a rank "
                                 "of the group",
                                 root,
                                 Name()));
            }
            else if (root != RootOf(right))
            {
                Tell(rank,
                     call,
                     Property::Root,
                     fmt::format("has rank {} as its root in call {} of {} ({}), but rank "
                                 "{} has rank {}, in node {}; write one root",
                                 root,
                                 call + 1,
                                 Name(),
                                 ToText(node.collective),
                                 model,
                                 RootOf(right),
                                 right.id));
            }
        }
    }

    /// Null for calls of equal parts, and for types that have no parts.
    SharedSplits SplitsOf(uint32_t rank, uint32_t call) const
    {
        return m_job.workload.GraphOf(RankId{rank}).SplitsOf(m_calls.at(rank)[call]);
    }

    /// The lists of an all-to-all are as long as the group, and what one sends is what the other
    /// receives.
    void CompareSplits(uint32_t call)
    {
        const std::vector<RankId>& ranks = m_communicator.ranks;
        for (const auto& [rank, nodes] : m_calls)
        {
            const SharedSplits splits = SplitsOf(rank, call);
            if (splits == nullptr)
            {
                continue;
            }
            const std::string fault = FindSplitFault(*splits, ranks.size());
            if (!fault.empty())
            {
                Tell(rank, call, Property::Splits, fault);
            }
            else if (!splits->receives.empty())
            {
                CompareReceives(rank, call, *splits);
            }
        }
    }

    /// Requires: the splits have the length of the group, and list what is received. A mistake is
    /// told of the receiver alone, though either side may be wrong.
    void CompareReceives(uint32_t rank, uint32_t call, const ExchangeSplits& splits)
    {
        const std::vector<RankId>& ranks = m_communicator.ranks;
        // Lists are by the place in the group, which is not the number of the rank.
        const auto self = std::find(ranks.begin(), ranks.end(), RankId{rank}) - ranks.begin();
        for (size_t member = 0; member < ranks.size(); ++member)
        {
            const uint32_t from = ranks[member].value;
            const ExecutionNode* const theirCall =
                m_calls.contains(from) ? FindCall(from, call) : nullptr;
            const SharedSplits theirs = theirCall != nullptr ? SplitsOf(from, call) : nullptr;
            // There is nothing to compare with where the trace of the member was not understood or
            // has fewer calls, and where its list has a wrong length, which CompareSplits tells of.
            if (theirCall == nullptr || (theirs != nullptr && theirs->sends.size() != ranks.size()))
            {
                continue;
            }
            const uint64_t sent = SentTo(theirs.get(),
                                         theirCall->size,
                                         static_cast<uint32_t>(self),
                                         static_cast<uint32_t>(ranks.size()));
            if (sent == splits.receives[member])
            {
                continue;
            }
            Tell(
                rank,
                call,
                Property::Splits,
                fmt::format("receives {} from rank {} by its out_split_size, in call {} of {}, but "
                            "that rank sends {} by its {}, in node {}; write one size",
                            splits.receives[member],
                            from,
                            call + 1,
                            Name(),
                            sent,
                            theirs != nullptr ? "in_split_size" : "equal parts",
                            theirCall->id));
        }
    }

    /// The mistake concerns the whole group, so there is no peer.
    void Tell(uint32_t rank, uint32_t call, Property property, const std::string& text)
    {
        const uint32_t node = m_calls.at(rank)[call];
        const ExecutionGraph& graph = m_job.workload.GraphOf(RankId{rank});
        m_repeated.Add({.kind = static_cast<uint32_t>(property), .rank = rank, .peer = 0},
                       {Severity::Error,
                        m_job.files[rank],
                        {graph.Node(node).id, std::string(graph.Name(node))}},
                       text);
    }

    std::string Name() const
    {
        return "the group of ranks " + ToRankListText(m_communicator.ranks);
    }

    const CheckedJob& m_job;
    const Communicator& m_communicator;
    std::set<RankId> m_members;
    const CallLists::Calls& m_calls;
    FindingList& m_findings;
    RepeatedFindings m_repeated;
};

} // namespace

void
CompareCollectives(const CheckedJob& job, FindingList& findings)
{
    const CallLists lists(job, CallLists::Kind::Collective);
    for (const auto& [communicator, calls] : lists.All())
    {
        CommunicatorComparison(job, job.workload.communicators[communicator.value], calls, findings)
            .Run();
    }
}

} // namespace nadi
