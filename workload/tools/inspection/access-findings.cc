// SPDX-License-Identifier: GPL-2.0-only
#include "system/rank-text.h"
#include "workload/tools/inspection/call-lists.h"
#include "workload/tools/inspection/checked-job.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace nadi
{

namespace
{

constexpr const char* WHERE_MATCHED = "with system.memory.remote.through: network";

/// The accesses of one communicator, as its sound members make them. Each is compared with those of
/// the member that makes most, of equals the lowest.
class AccessComparison
{
  public:
    AccessComparison(const CheckedJob& job,
                     const Communicator& communicator,
                     const CallLists::Calls& accesses,
                     FindingList& findings)
        : m_job(job)
        , m_name("the group of ranks " + ToRankListText(communicator.ranks))
        , m_accesses(accesses)
        , m_model(std::ranges::max_element(
                      accesses, {}, [](const auto& member) { return member.second.size(); })
                      ->first)
        , m_findings(findings)
    {
    }

    void Run()
    {
        for (const auto& [rank, nodes] : m_accesses)
        {
            TellOfFirstUnlike(rank);
            if (nodes.size() < m_accesses.at(m_model).size())
            {
                TellOfMissing(rank);
            }
        }
    }

  private:
    const ExecutionNode& Access(uint32_t rank, size_t access) const
    {
        return m_job.workload.GraphOf(RankId{rank}).Node(m_accesses.at(rank)[access]);
    }

    /// After one that differs, the next ones may no longer be the same accesses.
    void TellOfFirstUnlike(uint32_t rank)
    {
        const std::vector<uint32_t>& nodes = m_accesses.at(rank);
        for (size_t access = 0; access < nodes.size(); ++access)
        {
            const ExecutionNode& own = Access(rank, access);
            const ExecutionNode& other = Access(m_model, access);
            if (own.type != other.type || own.size != other.size)
            {
                m_findings.AddNode(
                    Severity::Warning,
                    m_job.workload.GraphOf(RankId{rank}),
                    nodes[access],
                    fmt::format("is access {} of {} to remote memory and {}, but rank "
                                "{} {} there, in node {}, which ends a run {}; make "
                                "them the same",
                                access + 1,
                                m_name,
                                DescribeAccess(own),
                                m_model,
                                DescribeAccess(other),
                                other.id,
                                WHERE_MATCHED));
                return;
            }
        }
    }

    void TellOfMissing(uint32_t rank)
    {
        const size_t own = m_accesses.at(rank).size();
        m_findings.Add({.severity = Severity::Warning,
                        .where = m_job.files[rank],
                        .ranks = {rank},
                        .text = fmt::format("makes {} {} to remote memory with {}, but rank {} "
                                            "makes {}, and would wait for ever in node {} {}; "
                                            "add the accesses that are missing or remove those",
                                            own,
                                            own == 1 ? "access" : "accesses",
                                            m_name,
                                            m_model,
                                            m_accesses.at(m_model).size(),
                                            Access(m_model, own).id,
                                            WHERE_MATCHED),
                        .count = 0,
                        .nodes = {}});
    }

    static std::string DescribeAccess(const ExecutionNode& node)
    {
        return fmt::format(
            "{} {} B", node.type == NodeType::MemoryLoad ? "loads" : "stores", node.size);
    }

    const CheckedJob& m_job;
    std::string m_name;
    const CallLists::Calls& m_accesses;
    uint32_t m_model; // a rank
    FindingList& m_findings;
};

} // namespace

void
CompareAccesses(const CheckedJob& job, FindingList& findings)
{
    const CallLists lists(job, CallLists::Kind::Access);
    for (const auto& [communicator, accesses] : lists.All())
    {
        // Callers that are no members have no lists, so a communicator may have none.
        if (!accesses.empty())
        {
            AccessComparison(
                job, job.workload.communicators[communicator.value], accesses, findings)
                .Run();
        }
    }
}

} // namespace nadi
