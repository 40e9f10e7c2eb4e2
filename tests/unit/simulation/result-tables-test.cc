// SPDX-License-Identifier: GPL-2.0-only
// What is said elsewhere of the tables of results is what their writers declare. With
// NADI_UPDATE_DOCS=1 the files that say it are written anew.
#include "simulation/results/result-tables.h"
#include "tests/support/generated-file.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Where the Markdown table that begins at `begin` ends.
size_t
FindTableEnd(const std::string& page, size_t begin)
{
    while (begin < page.size() && page[begin] == '|')
    {
        begin = page.find('\n', begin) + 1;
    }
    return begin;
}

/// The page with the first table of the table's section replaced by the declared one.
std::string
WithTable(std::string page, const TableDescription& table)
{
    const size_t section = page.find("\n## " + table.file + ":");
    REQUIRE(section != std::string::npos);
    const size_t begin = page.find("\n| column |", section) + 1;
    REQUIRE(begin < page.find("\n## ", section + 1));
    return page.replace(begin, FindTableEnd(page, begin) - begin, ToMarkdown(table));
}

} // namespace

TEST_CASE("Result tables: docs/outputs.md lists every column", "[unit][simulation][tables]")
{
    std::string page = ReadWholeFile(std::filesystem::path(SOURCE_DIR) / "docs/outputs.md");
    for (const TableDescription& table : DescribeResultTables())
    {
        page = WithTable(page, table);
    }
    CheckGeneratedFile("docs/outputs.md", page);
}

TEST_CASE("Result tables: studies can draw every quantity", "[unit][simulation][tables]")
{
    nlohmann::ordered_json quantities;
    for (const TableDescription& table : DescribeResultTables())
    {
        const std::string name = table.file.substr(0, table.file.find('.'));
        for (const ColumnDescription& column : table.columns)
        {
            if (column.kind == ColumnKind::Quantity)
            {
                quantities[name].push_back(column.name);
            }
        }
    }
    CheckGeneratedFile("scripts/studies/columns.json", quantities.dump(2) + "\n");
}

TEST_CASE("Result tables: the ending of a column's name is its unit", "[unit][simulation][tables]")
{
    const std::vector<std::pair<std::string, std::string>> endings{
        {"_ns", "ns"}, {"bytes", "bytes"}, {"_gbps", "Gb/s"}, {"_GBps", "GB/s"}};
    for (const TableDescription& table : DescribeResultTables())
    {
        std::set<std::string> names;
        for (const ColumnDescription& column : table.columns)
        {
            INFO(table.file << " " << column.name);
            CHECK(names.insert(column.name).second);
            CHECK(!column.meaning.empty());
            for (const auto& [ending, unit] : endings)
            {
                CHECK((!column.name.ends_with(ending) || column.unit == unit));
            }
        }
    }
}
