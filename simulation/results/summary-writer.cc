// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/summary-writer.h"

#include "simulation/reading/run-reading.h"
#include "simulation/results/communication-writer.h"
#include "simulation/results/serving-summary-writer.h"
#include "simulation/results/text-format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace nadi
{

namespace
{

using Json = nlohmann::ordered_json;
/// Keys with their values as JSON text: times keep three decimals.
using Lines = std::vector<std::pair<std::string, std::string>>;

std::string
Quote(const std::string& text)
{
    // Names come from traces, and may hold bytes that are not UTF-8.
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Put together by hand and not by the library, which would print times and ratios as doubles: so
/// they keep the decimals that NsText gives them.
std::string
JoinLines(const Lines& lines, const std::string& indent)
{
    std::string text = "{\n";
    for (size_t i = 0; i < lines.size(); ++i)
    {
        text += fmt::format("{}  \"{}\": {}{}\n",
                            indent,
                            lines[i].first,
                            lines[i].second,
                            i + 1 == lines.size() ? "" : ",");
    }
    return text + indent + "}";
}

std::string
WriteMechanisms(const NetworkTotals& totals)
{
    return JoinLines({{"ecn_marks", std::to_string(totals.ecnMarks)},
                      {"pauses", std::to_string(totals.pauses)},
                      {"cnps", std::to_string(totals.cnps)},
                      {"retransmissions", std::to_string(totals.retransmissions)},
                      {"reroutes", std::to_string(totals.reroutes)},
                      {"trains", std::to_string(totals.trains)},
                      {"drops", std::to_string(totals.drops)}},
                     "  ");
}

std::string
WriteMemo(const NetworkTotals& totals)
{
    return JoinLines({{"messages", std::to_string(totals.memoMessages)},
                      {"answered", std::to_string(totals.memoAnswered)}},
                     "  ");
}

/// Where there are memories: what the job did with them.
Lines
MemoryLines(const RunResults& results)
{
    if (!results.memory)
    {
        return {};
    }
    return {{"memory",
             JoinLines({{"loads", std::to_string(results.memory->loads)},
                        {"stores", std::to_string(results.memory->stores)},
                        {"bytes", std::to_string(results.memory->bytes.Count())}},
                       "  ")}};
}

std::string
WriteInNetwork(const InNetworkUsage& usage)
{
    return JoinLines({{"collectives", std::to_string(usage.collectives)},
                      {"bytes", std::to_string(usage.bytes.Count())},
                      {"fallbacks", std::to_string(usage.fallbacks)}},
                     "  ");
}

std::string
WriteSentences(const std::vector<std::string>& sentences)
{
    std::string text;
    for (const std::string& sentence : sentences)
    {
        text += (text.empty() ? "\n    " : ",\n    ") + Quote(sentence);
    }
    return text.empty() ? "[]" : "[" + text + "\n  ]";
}

/// Notes on the input come first, as they were known before the run.
std::string
WriteWarnings(const RunInput& input, const RunResults& results)
{
    std::vector<std::string> sentences = input.Notes();
    sentences.insert(sentences.end(), results.warnings.begin(), results.warnings.end());
    return WriteSentences(sentences);
}

/// The conclusion comes first; a job that did not end has none.
std::string
WriteNotes(const RunInput& input, const RunResults& results)
{
    std::vector<std::string> sentences;
    const std::string reading = ReadRun(input, results);
    if (!reading.empty())
    {
        sentences.push_back(reading);
    }
    sentences.insert(sentences.end(), input.Notes().begin(), input.Notes().end());
    return WriteSentences(sentences);
}

void
Append(Lines& lines, const Lines& more)
{
    lines.insert(lines.end(), more.begin(), more.end());
}

/// Of the slowest rank.
Lines
BreakdownLines(const RankMetrics& metrics)
{
    return {{"compute_ns", NsText(metrics.compute)},
            {"communication_ns", NsText(metrics.communication)},
            {"exposed_communication_ns", NsText(metrics.exposedCommunication)},
            {"idle_ns", NsText(metrics.idle)}};
}

/// Sums over communicators, in the order of the types.
/// Times of several communicators of one type may overlap and are added all the same.
std::string
WriteCommunicationByType(const std::vector<CommunicationTotal>& totals)
{
    std::vector<std::pair<std::string, CommunicationTotal>> byType;
    for (const CommunicationTotal& total : totals)
    {
        const std::string type = ToText(total.kind);
        // Totals are ordered by kind, so those of one type are neighbours.
        if (byType.empty() || byType.back().first != type)
        {
            byType.push_back({type, {}});
        }
        CommunicationTotal& sum = byType.back().second;
        sum.calls += total.calls;
        sum.size += total.size;
        sum.inProgress += total.inProgress;
        sum.exposed += total.exposed;
    }
    Lines lines;
    for (const auto& [type, sum] : byType)
    {
        lines.emplace_back(type,
                           JoinLines({{"calls", std::to_string(sum.calls)},
                                      {"size_bytes", std::to_string(sum.size.Count())},
                                      {"communication_ns", NsText(sum.inProgress)},
                                      {"exposed_communication_ns", NsText(sum.exposed)}},
                                     "    "));
    }
    return lines.empty() ? "{}" : JoinLines(lines, "  ");
}

Lines
CostLines(const RunResults& results, const RunCost& cost)
{
    return {{"bytes_sent", std::to_string(results.BytesSent().Count())},
            {"packets", std::to_string(results.totals.packets)},
            {"packet_hops", std::to_string(results.totals.packetHops)},
            {"events", std::to_string(results.events)},
            {"wall_time_s", fmt::format("{:.3f}", cost.wallSeconds)},
            {"peak_memory_bytes", std::to_string(cost.peakMemoryBytes)}};
}

} // namespace

std::string
WriteSummary(const RunInput& input,
             const RunResults& results,
             const RunCost& cost,
             const ProgramIdentity& program)
{
    Lines lines{{"status", Quote(ToText(results.status))},
                {"exit_reason", Quote(results.exitReason)},
                {"finish_time_ns", NsText(results.finish)},
                {"backend", Quote(input.Config().network.backend.name)},
                {"ranks", std::to_string(results.ranks.size())}};
    const RankResult& slowest = results.ranks[results.SlowestRank()];
    Append(lines, BreakdownLines(slowest.metrics));
    Append(lines, CostLines(results, cost));
    Append(lines,
           {{"seed", std::to_string(input.Config().seed)},
            {"version", Quote(program.version)},
            {"digest", Quote(results.digest)},
            {"mechanisms", WriteMechanisms(results.totals)},
            {"warnings", WriteWarnings(input, results)},
            {"waiting_ns", NsText(slowest.metrics.waiting)},
            {"communication_by_type", WriteCommunicationByType(slowest.communication)},
            {"build", Quote(program.build)},
            {"memo", WriteMemo(results.totals)},
            {"notes", WriteNotes(input, results)}});
    if (results.inNetwork)
    {
        lines.emplace_back("in_network", WriteInNetwork(*results.inNetwork));
    }
    Append(lines, MemoryLines(results));
    if (results.serving)
    {
        lines.emplace_back("serving", WriteServing(*results.serving));
    }
    return JoinLines(lines, "") + "\n";
}

} // namespace nadi
