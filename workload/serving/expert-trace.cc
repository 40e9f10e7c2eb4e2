// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/expert-trace.h"

#include "common/error.h"
#include "common/table-lines.h"

#include <algorithm>

namespace nadi
{

namespace
{

constexpr std::string_view WEIGHT_COLUMNS = "layer,expert,tokens";
constexpr std::string_view EXACT_COLUMNS = "iteration,layer,rank,expert,tokens";
constexpr uint64_t MOST_EXPERT_TOKENS = 1ULL << 40;
constexpr uint64_t MOST_TRACED_ITERATIONS = 1ULL << 32;

void
CheckBelow(uint64_t value, uint64_t bound, std::string_view column, const std::string& where)
{
    if (value >= bound)
    {
        throw ConfigError(where,
                          std::string(column) + " " + std::to_string(value) +
                              " does not exist; they are from 0 to " + std::to_string(bound - 1));
    }
}

std::vector<uint64_t>
ReadFields(const TableLines& lines, const std::vector<std::string_view>& columns)
{
    const std::vector<std::string_view> texts = SplitAtCommas(lines.Line());
    if (texts.size() != columns.size())
    {
        throw ConfigError(lines.Where(),
                          "has " + std::to_string(texts.size()) + " fields; the header has " +
                              std::to_string(columns.size()));
    }
    std::vector<uint64_t> fields;
    for (size_t i = 0; i < texts.size(); ++i)
    {
        fields.push_back(ReadCount(texts[i], columns[i], lines.Where()));
    }
    return fields;
}

} // namespace

ExpertTrace::ExpertTrace(
    const std::string& file, uint64_t layers, uint32_t experts, uint32_t ranks, uint32_t topK)
    : m_experts(experts)
    , m_weights(layers, std::vector<double>(experts))
{
    TableLines lines(file);
    if (!lines.Next() || (lines.Line() != WEIGHT_COLUMNS && lines.Line() != EXACT_COLUMNS))
    {
        throw ConfigError(file + ":1",
                          "is no header of an expert trace; write " + std::string(WEIGHT_COLUMNS) +
                              " or " + std::string(EXACT_COLUMNS));
    }
    const std::string header = lines.Line();
    const std::vector<std::string_view> columns = SplitAtCommas(header);
    while (lines.Next())
    {
        AddLine(ReadFields(lines, columns), lines.Where(), ranks);
    }
    // m_seen serves only to find lines that come twice, and takes as much memory as the file has
    // lines.
    m_seen.clear();
    CheckWhole(file, topK);
}

/// `fields`: of either form.
void
ExpertTrace::AddLine(const std::vector<uint64_t>& fields, const std::string& where, uint64_t ranks)
{
    const bool isExact = fields.size() == 5;
    const uint64_t iteration = isExact ? fields[0] : 0;
    const uint64_t layer = fields[isExact ? 1 : 0];
    const uint64_t rank = isExact ? fields[2] : 0;
    const uint64_t expert = fields[fields.size() - 2];
    const uint64_t tokens = fields.back();
    CheckBelow(iteration, MOST_TRACED_ITERATIONS, "iteration", where);
    CheckBelow(layer, m_weights.size(), "layer", where);
    CheckBelow(rank, ranks, "rank", where);
    CheckBelow(expert, m_experts, "expert", where);
    if (tokens > MOST_EXPERT_TOKENS)
    {
        throw ConfigError(where, "tokens: more than 2^40 of one expert");
    }
    if (!m_seen.try_emplace({iteration, layer, rank, expert}, true).second)
    {
        throw ConfigError(where, "tells of this expert again; write one line with the sum");
    }
    m_weights[layer][expert] += static_cast<double>(tokens);
    if (isExact)
    {
        std::vector<uint64_t>& counts = m_exact[{iteration, layer, rank}];
        counts.resize(m_experts);
        counts[expert] = tokens;
    }
}

// Each token needs topK distinct experts with a weight above 0, or ExpertDrawer::Draw would not
// end.
void
ExpertTrace::CheckWhole(const std::string& file, uint32_t topK) const
{
    for (size_t layer = 0; layer < m_weights.size(); ++layer)
    {
        const auto used = std::count_if(m_weights[layer].begin(),
                                        m_weights[layer].end(),
                                        [](double weight) { return weight > 0; });
        if (used < static_cast<std::ptrdiff_t>(topK))
        {
            throw ConfigError(file,
                              "layer " + std::to_string(layer) + " has tokens for " +
                                  std::to_string(used) + " experts; a token needs " +
                                  std::to_string(topK));
        }
    }
}

const std::vector<uint64_t>*
ExpertTrace::Find(uint64_t iteration, uint64_t layer, uint32_t rank) const
{
    if (m_exact.empty())
    {
        return nullptr;
    }
    // The map is sorted by iteration first, so its last place has the last one.
    const uint64_t iterations = std::get<0>(m_exact.rbegin()->first) + 1;
    const auto found = m_exact.find({iteration % iterations, layer, rank});
    return found == m_exact.end() ? nullptr : &found->second;
}

} // namespace nadi
