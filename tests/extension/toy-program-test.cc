// SPDX-License-Identifier: GPL-2.0-only
// What CONTRIBUTING.md says of keys, columns and commands, followed once.
#include "cli/command-parser.h"
#include "configuration/field.h"
#include "simulation/results/table.h"
#include "tests/support/config-error-text.h"

#include <catch2/catch.hpp>

#include <memory>
#include <sstream>

using namespace nadi;

namespace
{

struct ToyOptions
{
    SimTime pause = SimTime::FromUs(1);
};

Section
DescribeToy(ToyOptions& options)
{
    return {MakeField("pause", options.pause, MakeTimeCodec(), "The pause between two steps.")};
}

struct ToyRow
{
    uint32_t rank = 0;
    int64_t wait = 0;
};

Command
MakeToyCommand(std::string& said)
{
    const auto name = std::make_shared<std::string>();
    return {.name = "greet",
            .help = "Says hello",
            .examples = {"nadi greet you"},
            .options = {{.name = "NAME", .target = name.get(), .help = "to whom"}},
            .run = [name, &said](const ProgramStart&)
            {
                said = "hello " + *name;
                return EXIT_DONE;
            }};
}

} // namespace

TEST_CASE("A key that is declared once is read, written back, and in the schema", "[extension]")
{
    ToyOptions options;
    const Section section = DescribeToy(options);
    CHECK(MakeSectionSchema(section)["properties"]["pause"]["default"] == "1 us");
    ConfigNode node;
    node.kind = ConfigNode::Kind::Map;
    node.children.emplace_back();
    node.children.back().kind = ConfigNode::Kind::Scalar;
    node.children.back().key = "pause";
    node.children.back().text = "5 ms";
    ReadSection(node, section);
    CHECK(options.pause == SimTime::FromUs(5000));
    CHECK(WriteSection(section).dump() == R"({"pause":"5 ms"})");
}

TEST_CASE("A column that is declared once is in the file and in the description of its table",
          "[extension]")
{
    const Table<ToyRow> table(
        "toy.csv",
        {{"rank",
          ColumnKind::Identity,
          "",
          "the rank",
          [](const ToyRow& row) { return std::to_string(row.rank); }},
         {"wait_ns", ColumnKind::Quantity, "ns", "how long it waited", [](const ToyRow& row) {
              return std::to_string(row.wait);
          }}});
    std::ostringstream file;
    table.WriteHeader(file);
    table.WriteRow({3, 70}, file);
    CHECK(file.str() == "rank,wait_ns\n3,70\n");
    CHECK(table.Describe().columns.back().unit == "ns");
}

TEST_CASE("A command that is described as data runs with its options", "[extension]")
{
    std::string said;
    CHECK(RunCommands({MakeToyCommand(said)}, {"greet", "you"}, ProgramStart{}) == EXIT_DONE);
    CHECK(said == "hello you");
}
