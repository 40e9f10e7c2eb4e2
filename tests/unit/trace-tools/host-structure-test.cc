// SPDX-License-Identifier: GPL-2.0-only
// Host execution traces alone: what their operators repeat.
#include "common/error.h"
#include "tests/support/config-error-text.h"
#include "tests/support/trace-bytes.h"
#include "workload/document/node-attributes.h"
#include "workload/tools/conversion/host-job.h"
#include "workload/tools/structure/job-analysis.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nadi::test
{

namespace
{

using HostJson = nlohmann::json;

constexpr uint64_t FUNCTION = 0;
constexpr uint64_t BACKWARD = 1;
constexpr uint64_t USER = 7;

/// Builds a host trace of schema 1.1.0.
class HostTraceText
{
  public:
    HostTraceText()
    {
        m_nodes.push_back(NodeOf(1, 1, "[pytorch|profiler|execution_trace|process]", 0, 0));
    }

    /// Returns the id of the new operator.
    uint64_t Add(const std::string& name, uint64_t parent, uint64_t scope = FUNCTION)
    {
        const uint64_t id = m_nodes.size() + 1;
        m_nodes.push_back(NodeOf(id, parent, name, id, scope));
        return id;
    }

    /// Says that group "0" has these ranks.
    void SetGroup(const std::vector<uint32_t>& ranks)
    {
        Add("## process_group:init ##", 1, USER);
        m_nodes.back()["inputs"]["values"] = {
            HostJson::array({{{"pg_name", "0"}, {"ranks", ranks}}}).dump()};
    }

    /// An all-reduce of 4000 bytes between two ranks, in group "0".
    void AddSum(uint64_t parent)
    {
        Add("record_param_comms", parent);
        const HostJson tensor{5, 6, 0, 1000, 4, "cuda:0"};
        m_nodes.back()["inputs"]["values"] = {{tensor},
                                              {31, false},
                                              {"0", "default_pg"},
                                              0,
                                              "allreduce",
                                              HostJson::array(),
                                              HostJson::array(),
                                              0,
                                              1,
                                              2};
    }

    std::string Text() const
    {
        return HostJson{{"schema", "1.1.0-chakra.0.0.4"}, {"nodes", m_nodes}}.dump();
    }

  private:
    static HostJson
    NodeOf(uint64_t id, uint64_t parent, const std::string& name, uint64_t function, uint64_t scope)
    {
        const HostJson none{{"values", HostJson::array()},
                            {"shapes", HostJson::array()},
                            {"types", HostJson::array()}};
        return {{"id", id},
                {"name", name},
                {"ctrl_deps", parent},
                {"inputs", none},
                {"outputs", none},
                {"attrs",
                 {{{"name", "rf_id"}, {"type", "uint64"}, {"value", function}},
                  {{"name", "scope"}, {"type", "uint64"}, {"value", scope}},
                  {{"name", "tid"}, {"type", "uint64"}, {"value", 1}}}}};
    }

    std::vector<HostJson> m_nodes;
};

/// Five layers forward and backward, between them a loss.
std::string
MakeHostText()
{
    HostTraceText text;
    text.Add("aten::embedding", 1);
    for (uint32_t layer = 0; layer < 5; ++layer)
    {
        const uint64_t linear = text.Add("aten::linear", 1);
        text.Add("aten::t", linear);
        text.Add("aten::addmm", linear);
        text.Add("aten::gelu", 1);
        text.Add("aten::view", 1);
        text.Add("aten::bmm", 1);
    }
    text.Add("aten::_log_softmax", 1);
    const uint64_t range = text.Add("## backward ##", 1, USER);
    for (uint32_t layer = 0; layer < 5; ++layer)
    {
        for (const char* const name : {"bmm", "gelu", "addmm"})
        {
            const uint64_t step = text.Add(fmt::format("{}_step", name), range, BACKWARD);
            text.Add(fmt::format("aten::{}_of_weight", name), step);
            text.Add(fmt::format("aten::{}_of_input", name), step);
        }
    }
    return text.Text();
}

HostJob
ReadHostText(const std::string& name, const std::string& text)
{
    const ScratchFolder folder(name);
    folder.Write("host.0.json", text);
    return ReadHostJob({folder.At("host.0.json")});
}

HostJob
ReadAsTwoRanks(const HostTraceText& text)
{
    const ScratchFolder folder("host-two-ranks");
    folder.Write("host.0.json", text.Text());
    folder.Write("host.1.json", text.Text());
    return ReadHostJob({folder.At("host.0.json"), folder.At("host.1.json")});
}

} // namespace

TEST_CASE("Host traces alone: operators that call no other one are the tasks",
          "[unit][trace-tools]")
{
    const HostJob job = ReadHostText("host-tasks", MakeHostText());
    const ExecutionGraph& graph = job.workload.GraphOf(RankId{0});
    REQUIRE(graph.NodeCount() == 1 + 5 * 3 + 1 + 5 * 6);
    CHECK(graph.Name(0) == "aten::embedding");
    CHECK(graph.Name(1) == "aten::addmm");
    CHECK(graph.Name(3) == "aten::bmm");
    CHECK(graph.Name(17) == "aten::bmm_of_weight");
    CHECK(job.orders[0].ScopeOf(17).isBackward);
    CHECK_FALSE(job.orders[0].ScopeOf(1).isBackward);
}

TEST_CASE("Host traces alone: layers are what operators repeat, and a note says that they are no "
          "kernels",
          "[unit][trace-tools]")
{
    const HostJob job = ReadHostText("host-layers", MakeHostText());
    const JobStructure found = FindStructure(job.workload, job.orders, {});
    CHECK(found.layers == 5);
    CHECK(found.isOfHost);
    CHECK(found.evidence == StructureEvidence::Repetition);
    REQUIRE(found.ranks[0].passes.size() == 2);
    CHECK(found.ranks[0].passes[0].isForward);
    CHECK_FALSE(found.ranks[0].passes[1].isForward);
    CHECK(found.ranks[0].kinds[0].taskCount == 3);
    CHECK(found.ranks[0].kinds[1].taskCount == 6);
    REQUIRE(!found.notes.empty());
    CHECK(found.notes[0].starts_with("No kernels of an accelerator were recorded"));
}

TEST_CASE("Host traces alone: operators of collectives are collectives", "[unit][trace-tools]")
{
    HostTraceText text;
    text.AddSum(1); // as one that waits for all ranks
    for (uint32_t layer = 0; layer < 5; ++layer)
    {
        text.Add("aten::addmm", 1);
        text.Add("aten::gelu", 1);
        text.Add("aten::bmm", 1);
        text.AddSum(1);
    }
    const HostJob job = ReadAsTwoRanks(text);
    const ExecutionNode& sum = job.workload.GraphOf(RankId{0}).Node(0);
    CHECK(sum.type == NodeType::Collective);
    CHECK(sum.collective == CollectiveType::AllReduce);
    CHECK(sum.size == 4000);
    CHECK_FALSE(sum.isCpu);
    const JobStructure found = FindStructure(job.workload, job.orders, {});
    CHECK(found.isOfHost);
    CHECK(found.layers == 5);
    REQUIRE(found.groups.size() == 1);
    CHECK(found.groups[0].ranks == std::vector<uint32_t>{0, 1});
    CHECK(found.groups[0].calls == std::map<std::string, uint64_t>{{"all-reduce", 12}});
    const auto speaksOfLaunch = [](const std::string& note)
    { return note.find("no launch") != std::string::npos; };
    CHECK(std::ranges::none_of(found.notes, speaksOfLaunch));
}

TEST_CASE("Host traces alone: groups may be of ranks whose traces are not there",
          "[unit][trace-tools]")
{
    for (const std::vector<uint32_t>& ranks : {std::vector<uint32_t>{1, 3}, {4, 5}, {0, 7}})
    {
        HostTraceText text;
        text.SetGroup(ranks);
        text.Add("aten::mm", 1);
        text.AddSum(1);
        const HostJob job = ReadAsTwoRanks(text);
        CHECK(job.workload.GraphOf(RankId{0}).Node(1).type == NodeType::Collective);
        CHECK_FALSE(FindStructure(job.workload, job.orders, {}).groups.empty());
    }
}

TEST_CASE("Host traces alone: a trace whose operators do no work is refused", "[unit][trace-tools]")
{
    HostTraceText text;
    text.Add("aten::view", 1);
    CHECK(ConfigErrorText([&] { ReadHostText("host-idle", text.Text()); })
              .find("has no operator that does work") != std::string::npos);
}

TEST_CASE("Host traces alone: operators that stand around each other in a circle end",
          "[unit][trace-tools]")
{
    HostTraceText text;
    text.Add("aten::mm", 3);
    text.Add("aten::mm", 2);
    text.Add("aten::mm", 1);
    CHECK(ReadHostText("host-circle", text.Text()).workload.GraphOf(RankId{0}).NodeCount() == 1);
}

} // namespace nadi::test
