// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/repeated-findings.h"

#include <utility>

namespace nadi
{

void
RepeatedFindings::Add(const Mistake& mistake, const Place& place, const std::string& text)
{
    const auto [known, isNew] = m_findings.try_emplace(mistake);
    Finding& finding = known->second;
    if (isNew)
    {
        finding = {.severity = place.severity,
                   .where = place.file,
                   .ranks = {mistake.rank},
                   .text = text,
                   .count = 0,
                   .nodes = {}};
    }
    // The text is about the first mistake. From the second mistake on it says so.
    if (++finding.count == 2)
    {
        finding.text = "does not fit its peers; the first " + finding.text;
    }
    if (finding.nodes.size() < Finding::MOST_NODES)
    {
        finding.nodes.push_back(place.node);
    }
}

void
RepeatedFindings::MoveTo(FindingList& findings)
{
    // Findings are given by kind, rank and peer, whatever the order in which they were found.
    for (auto& [mistake, finding] : std::exchange(m_findings, {}))
    {
        findings.Add(std::move(finding));
    }
}

} // namespace nadi
