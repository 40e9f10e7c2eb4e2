// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/check-json.h"

#include <nlohmann/json.hpp>

namespace nadi
{

namespace
{

using CheckJson = nlohmann::ordered_json;

CheckJson
ToCheckJson(const Finding& finding)
{
    CheckJson nodes = CheckJson::array();
    for (const TraceNodeName& node : finding.nodes)
    {
        nodes.push_back({{"id", node.id}, {"name", node.name}});
    }
    return {{"severity", ToText(finding.severity)},
            {"file", finding.where},
            {"ranks", finding.ranks},
            {"count", finding.count},
            {"cycle", finding.isCycle},
            {"nodes", std::move(nodes)},
            {"text", finding.text}};
}

} // namespace

std::string
FormatCheckJson(const TraceCheck& check)
{
    CheckJson json{{"ranks", check.rankCount},
                   {"nodes", check.nodeCount},
                   {"errors", check.Count(Severity::Error)},
                   {"warnings", check.Count(Severity::Warning)},
                   {"notes", check.Count(Severity::Note)},
                   {"findings", CheckJson::array()}};
    for (const Finding& finding : check.findings)
    {
        json["findings"].push_back(ToCheckJson(finding));
    }
    // Names of a damaged file may be no UTF-8, which JSON cannot hold.
    return json.dump(2, ' ', false, CheckJson::error_handler_t::replace) + "\n";
}

} // namespace nadi
