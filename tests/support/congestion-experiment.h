// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/nadi-process.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace nadi::test
{

/// Time of a byte in the configurations of configs/congestion/: frames of 1000 B with 64 B more, on
/// links of 12.5 B/ns.
inline constexpr double NS_PER_BYTE = 1.064 / 12.5;
inline constexpr double MEBIBYTE = 1 << 20;

/// The setting of a load balancing.
inline std::string
Balancing(const std::string& name)
{
    return "network.packet.load-balancing=" + name;
}

/// A row of a CSV file by the names of its columns.
using CsvRow = std::map<std::string, std::string>;

/// Requires: no field of the file has a comma in it.
inline std::vector<CsvRow>
ReadCsv(const std::filesystem::path& file)
{
    const auto split = [](const std::string& line)
    {
        std::vector<std::string> cells;
        std::istringstream stream(line + ','); // an empty last cell is one too
        for (std::string cell; std::getline(stream, cell, ',');)
        {
            cells.push_back(cell);
        }
        return cells;
    };
    std::istringstream stream(ReadWholeFile(file));
    std::string line;
    std::getline(stream, line);
    const std::vector<std::string> names = split(line);
    std::vector<CsvRow> rows;
    while (std::getline(stream, line))
    {
        const std::vector<std::string> cells = split(line);
        REQUIRE(cells.size() == names.size());
        CsvRow& row = rows.emplace_back();
        for (size_t i = 0; i < names.size(); ++i)
        {
            row[names[i]] = cells[i];
        }
    }
    return rows;
}

/// One run of a configuration of configs/congestion/ with changed settings, and what it left.
class CongestionExperiment
{
  public:
    explicit CongestionExperiment(const std::string& config,
                                  const std::vector<std::string>& settings = {})
        : m_scratch(Name(config, settings))
    {
        const std::string file =
            std::string(SOURCE_DIR) + "/configs/congestion/" + config + ".yaml";
        std::vector<std::string> words{"run", file, "--quiet", "--out", "r"};
        for (const std::string& setting : settings)
        {
            words.insert(words.end(), {"--set", setting});
        }
        const ProcessResult result = RunNadi(m_scratch, words);
        CAPTURE(config, settings, result.error);
        REQUIRE(result.exitCode == 0);
        m_summary = nlohmann::json::parse(ReadWholeFile(m_scratch.Path() / "r/summary.json"));
    }

    void CheckLossless() const
    {
        CHECK(Count("drops") == 0);
        CHECK(Count("retransmissions") == 0);
    }

    int64_t Count(const std::string& mechanism) const
    {
        return m_summary["mechanisms"].at(mechanism);
    }

    double FinishNs() const
    {
        return m_summary["finish_time_ns"];
    }

    std::vector<CsvRow> Rows(const std::string& file) const
    {
        return ReadCsv(m_scratch.Path() / "r" / file);
    }

    double LongestQueue() const
    {
        double longest = 0;
        for (const CsvRow& row : Rows("links.csv"))
        {
            longest = std::max(longest, std::stod(row.at("max_queue_bytes")));
        }
        return longest;
    }

  private:
    /// Two may live at once.
    static std::string Name(const std::string& config, const std::vector<std::string>& settings)
    {
        std::string all;
        for (const std::string& setting : settings)
        {
            all += setting + ' ';
        }
        return "congestion-" + config + "-" + std::to_string(std::hash<std::string>{}(all));
    }

    ScratchDirectory m_scratch;
    nlohmann::json m_summary;
};

} // namespace nadi::test
