// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/run-input.h"
#include "tests/support/scratch-directory.h"
#include "workload/execution-graph-builder.h"
#include "workload/trace-writer.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// The note on listed groups of a job on `nodes` of 8; empty without one.
std::string
ListedNote(const std::string& workload, uint32_t nodes, const std::string& system = "")
{
    const ScratchDirectory scratch("listed-groups");
    const std::string yaml =
        fmt::format("workload: {}\nsystem: {{{}}}\n"
                    "network:\n"
                    "  backend: analytical\n"
                    "  topology: {{generator: rail, nodes: {}, npus-per-node: 8, spines: 8,\n"
                    "    nvlink: {{bandwidth: 450 GB/s, latency: 500 ns}},\n"
                    "    nic: {{bandwidth: 50 GB/s, latency: 500 ns}}}}\n",
                    workload,
                    system,
                    nodes);
    const RunInput input(scratch.Write("c.yaml", yaml), {});
    for (const std::string& note : input.Notes())
    {
        if (note.find("no grid") != std::string::npos)
        {
            return note;
        }
    }
    return "";
}

/// Degrees of the parallelisms of 24 ranks, on three nodes.
std::string
NoteOfTraining(const std::string& degrees, const std::string& system = "")
{
    return ListedNote(fmt::format("{{ranks: 24, generate: {{model: transformer, layers: 2, hidden: "
                                  "768, heads: 24, sequence: 64, batch: 24, {}}}}}",
                                  degrees),
                      3,
                      system);
}

/// What two nodes say of all-reduces of these groups of their ranks.
std::string
NoteOfGroups(const std::vector<std::vector<uint32_t>>& groups)
{
    const ScratchDirectory scratch("listed-groups-traces");
    std::string names;
    for (size_t group = 0; group < groups.size(); ++group)
    {
        names += fmt::format(
            R"({}"group{}": [{}])", group == 0 ? "" : ", ", group, fmt::join(groups[group], ", "));
    }
    scratch.Write("groups.json", "{" + names + "}");
    for (uint32_t rank = 0; rank < 16; ++rank)
    {
        ExecutionGraphBuilder builder("groups");
        for (size_t group = 0; group < groups.size(); ++group)
        {
            if (std::ranges::find(groups[group], rank) != groups[group].end())
            {
                ExecutionNode node{.id = group + 1, .size = 1 << 20, .type = NodeType::Collective};
                node.collective = CollectiveType::AllReduce;
                node.group = builder.AddGroup(fmt::format("group{}", group));
                builder.AddNode(node, "reduce", {});
            }
        }
        WriteTrace(builder.Build(), (scratch.Path() / fmt::format("j.{}.et", rank)).string());
    }
    return ListedNote(fmt::format("{{trace: \"{0}/j.{{rank}}.et\", groups: {0}/groups.json}}",
                                  scratch.Path().string()),
                      2);
}

std::vector<uint32_t>
RanksFromTo(uint32_t first, uint32_t last)
{
    std::vector<uint32_t> ranks;
    for (uint32_t rank = first; rank <= last; ++rank)
    {
        ranks.push_back(rank);
    }
    return ranks;
}

} // namespace

TEST_CASE("Listed groups: those that are no grid are a note, with a stack that fits them",
          "[unit][simulation]")
{
    // Groups of 12 on nodes of 8: 8 and 4, 4 and 8.
    const std::string twelve = "tp: 12, dp: 2";
    CHECK(NoteOfTraining(twelve).ends_with(
        " {0..11} and 1 more are no grid in the logical stack [8, 3]: collectives run over one "
        "list of ranks, in which the slowest neighbours set the pace; write system.dimensions: [4, "
        "6]"));
    CHECK(NoteOfTraining(twelve, "dimensions: [4, 6]").empty());
    CHECK(NoteOfTraining("tp: 8, dp: 3").empty());
    CHECK(NoteOfTraining("tp: 4, dp: 6").empty());
    CHECK(NoteOfTraining(twelve, "library: nccl").empty());
    CHECK(NoteOfTraining(twelve, "collectives: {all-reduce: {flat: ring}}").empty());
}

TEST_CASE("Listed groups: a stack in which a group still has all members apart does not fit it",
          "[unit][simulation]")
{
    // {0, 2, ..., 10} has 4 in the first node, and 2 in the second. In [2, 12] each of them has its
    // own coordinate in dimension 1; in [4, 6] they are 2 by 3.
    const std::string sixReplicas = "tp: 2, pp: 2, dp: 6";
    CHECK(NoteOfTraining(sixReplicas).ends_with("write system.dimensions: [4, 6]"));
    CHECK(NoteOfTraining(sixReplicas, "dimensions: [2, 12]")
              .ends_with("write system.dimensions: [4, 6]"));
    CHECK(NoteOfTraining(sixReplicas, "dimensions: [4, 6]").empty());
}

TEST_CASE("Listed groups: where groups have no even parts, no stack is advised",
          "[unit][simulation]")
{
    // Three and three of places 0 to 2 and 3 to 5, or 6, 7 and the next node's 0.
    CHECK(NoteOfTraining("tp: 3, dp: 8")
              .ends_with("; no system.dimensions serve all groups, so choose sizes of groups, or a "
                         "workload.placement, that give a group as many ranks, at the same places, "
                         "in each node of 8 NPUs where it has some"));
}

TEST_CASE("Listed groups: no stack is advised in which another group sends more between nodes",
          "[unit][simulation]")
{
    const std::vector<uint32_t> twelve = RanksFromTo(0, 11);
    CHECK(NoteOfGroups({twelve}).ends_with("write system.dimensions: [4, 4]"));
    // Two groups in one node each send nothing between nodes in any stack.
    CHECK(NoteOfGroups({twelve, RanksFromTo(8, 15), {1, 2, 3}})
              .ends_with("write system.dimensions: [4, 4]"));
    // Of all 16 ranks, 8 would no longer reduce before a node sends.
    const std::string note = NoteOfGroups({RanksFromTo(0, 15), twelve});
    CHECK(note.find(" {0..11} is no grid in the logical stack [8, 2]: ") != std::string::npos);
    CHECK(note.find("no system.dimensions serve all groups") != std::string::npos);
    // Places 0 and 2 of both nodes keep what they have in [4, 4], places 0 and 4 do not.
    CHECK(NoteOfGroups({{0, 2, 8, 10}, twelve}).ends_with("write system.dimensions: [4, 4]"));
    CHECK(NoteOfGroups({{0, 4, 8, 12}, twelve}).find("no system.dimensions") != std::string::npos);
}

TEST_CASE("Listed groups: of a cluster that serves, groups that only exchange tokens do not count",
          "[unit][simulation]")
{
    const auto noteOf = [](const std::string& instances)
    {
        return ListedNote("{serve: {model: {preset: mixtral-8x7b}, requests: {arrivals: closed, "
                          "users: 4, count: 4, input: 64, output: 4}, instances: [" +
                              instances + "], layers: 1}}",
                          2,
                          "compute: {model: roofline, peak: 989 TFLOP/s, memory-bandwidth: 3.35 "
                          "TB/s}");
    };
    // Ranks 4 to 11 exchange tokens by all-to-alls.
    CHECK(noteOf("{role: prefill, tp: 4, memory: 80 GB}, {role: decode, dp: 8, ep: 8, memory: 80 "
                 "GB}, {role: decode, tp: 4, memory: 80 GB}")
              .empty());
    // Ranks 2 to 9 are a tensor group, with six members in one node and two in the other.
    CHECK(noteOf("{role: prefill, tp: 2, memory: 80 GB}, {role: decode, tp: 8, memory: 80 GB}, "
                 "{role: decode, tp: 2, count: 3, memory: 80 GB}")
              .find("{2..9} is no grid") != std::string::npos);
}
