// SPDX-License-Identifier: GPL-2.0-only
// Damaged traces either read or are refused; nothing else ever happens.
#include "common/error.h"
#include "common/hash.h"
#include "tests/support/test-paths.h"
#include "workload/trace/file-contents.h"
#include "workload/trace/trace-file.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

constexpr uint64_t ROUNDS = 150; // per sample and kind of damage
constexpr size_t MOST_BYTES = 40'000;

std::vector<std::string>
SamplePaths()
{
    std::vector<std::string> paths;
    const std::filesystem::path folder = std::filesystem::path(TEST_DATA) / "traces";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    {
        const bool isFirst = entry.path().filename().string().find(".0.") != std::string::npos;
        if (entry.is_regular_file() && isFirst && entry.file_size() < MOST_BYTES)
        {
            paths.push_back(entry.path().string());
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// Whether the bytes were read. Any exception but ConfigError passes through and fails the test.
bool
Reads(const std::string& bytes)
{
    try
    {
        const TraceFile trace = ParseTrace(bytes, "fuzz", DependencyPolicy::Auto);
        return trace.graph.TopologicalOrder().size() == trace.graph.NodeCount();
    }
    catch (const ConfigError&)
    {
        return false;
    }
}

std::string
FlipBytes(std::string bytes, uint64_t seed)
{
    const uint64_t flips = 1 + Hash64({seed, 0}) % 8;
    for (uint64_t flip = 1; flip <= flips; ++flip)
    {
        const uint64_t random = Hash64({seed, flip});
        bytes[random % bytes.size()] = static_cast<char>(random >> 56);
    }
    return bytes;
}

} // namespace

TEST_CASE("Damaged trace: flipped bytes are read or refused", "[unit][workload]")
{
    const std::vector<std::string> paths = SamplePaths();
    REQUIRE(paths.size() > 20);
    uint64_t refused = 0;
    for (const std::string& path : paths)
    {
        INFO(path);
        const std::string bytes = ReadFileContents(path);
        REQUIRE(Reads(bytes));
        for (uint64_t round = 0; round < ROUNDS; ++round)
        {
            CAPTURE(round);
            bool hasRead = false;
            REQUIRE_NOTHROW(hasRead = Reads(FlipBytes(bytes, Hash64({bytes.size(), round}))));
            refused += hasRead ? 0 : 1;
        }
    }
    CHECK(refused > ROUNDS); // the damage was felt
}

TEST_CASE("Damaged trace: shortened files are read or refused", "[unit][workload]")
{
    for (const std::string& path : SamplePaths())
    {
        INFO(path);
        const std::string bytes = ReadFileContents(path);
        for (uint64_t round = 0; round < ROUNDS; ++round)
        {
            const size_t length = Hash64({bytes.size(), round}) % bytes.size();
            CAPTURE(length);
            REQUIRE_NOTHROW(Reads(bytes.substr(0, length)));
        }
    }
}

TEST_CASE("Damaged trace: noise is read or refused", "[unit][workload]")
{
    for (uint64_t round = 0; round < 2000; ++round)
    {
        std::string bytes;
        for (uint64_t at = 0; at < 1 + round % 60; ++at)
        {
            bytes += static_cast<char>(Hash64({round, at}));
        }
        CAPTURE(round);
        REQUIRE_NOTHROW(Reads(bytes));
    }
}
