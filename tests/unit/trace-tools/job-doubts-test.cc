// SPDX-License-Identifier: GPL-2.0-only
// Odd input: recordings of different jobs, of parts of iterations, without launches.
#include "tests/support/config-error-text.h"
#include "tests/support/model-bench.h"
#include "tests/support/trace-bytes.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/analysis/breakdown.h"
#include "workload/tools/editing/trace-job.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/tools/structure/message-agreement.h"
#include "workload/tools/structure/rank-agreement.h"
#include "workload/what-if/what-if-settings.h"
#include "workload/what-if/what-if.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

using RankNodes = std::vector<std::vector<TraceNode>>;

/// A job of these ranks, whose groups "a" and "b" are of ranks 0 and 1.
Workload
ReadRanks(const RankNodes& ranks)
{
    const ScratchFolder folder("job-doubts");
    std::vector<std::string> files;
    for (const std::vector<TraceNode>& nodes : ranks)
    {
        const std::string name = fmt::format("job.{}.et", files.size());
        folder.Write(name, MakeTrace(nodes));
        files.push_back(folder.At(name));
    }
    folder.Write("groups.json", R"({"a": [0, 1], "b": [0, 1]})");
    const auto groups = ranks.size() > 1 ? std::optional(folder.At("groups.json")) : std::nullopt;
    return ReadTraceJob(files, groups).workload;
}

Workload
MakeCopies(const std::string& layers, const std::string& hidden, const std::string& batch = "4")
{
    return MakeModelJob("transformer",
                        {{"layers", layers},
                         {"hidden", hidden},
                         {"heads", "4"},
                         {"sequence", "32"},
                         {"vocabulary", "128"},
                         {"micro-batch", "1"},
                         {"dp", "2"},
                         {"batch", batch}},
                        {2});
}

/// Rank 0 of one job and rank 1 of another.
Workload
MixJobs(Workload one, const Workload& other)
{
    one.graphs = {one.graphs[one.graphOfRank[0]], other.graphs[other.graphOfRank[1]]};
    one.graphOfRank = {0, 1};
    return one;
}

/// Adds the ranks of a job to one whose first communicator is that of all ranks.
void
AddRanks(const Workload& added, Workload& all)
{
    const uint32_t ranks = all.RankCount();
    const auto graphs = static_cast<uint32_t>(all.graphs.size());
    const auto groups = static_cast<uint32_t>(all.communicators.size());
    all.graphs.insert(all.graphs.end(), added.graphs.begin(), added.graphs.end());
    for (const Communicator& group : added.communicators)
    {
        Communicator& copy = all.communicators.emplace_back();
        copy.id = CommunicatorId{groups + group.id.value};
        for (const RankId rank : group.ranks)
        {
            copy.ranks.push_back(RankId{ranks + rank.value});
        }
    }
    for (uint32_t rank = 0; rank < added.RankCount(); ++rank)
    {
        all.communicators.front().ranks.push_back(RankId{ranks + rank});
        all.graphOfRank.push_back(graphs + added.graphOfRank[rank]);
        std::vector<CommunicatorId>& ids = all.communicatorOfGroup.emplace_back();
        for (const CommunicatorId id : added.communicatorOfGroup[rank])
        {
            ids.push_back(CommunicatorId{groups + id.value});
        }
    }
}

/// The ranks of one job, and behind them those of another one. Requires: nobody sends.
Workload
SideBySide(const Workload& one, const Workload& other)
{
    Workload both;
    both.communicators.push_back({CommunicatorId{0}, {}});
    AddRanks(one, both);
    AddRanks(other, both);
    return both;
}

bool
HasNote(const JobStructure& structure, const std::string& part)
{
    return std::ranges::any_of(structure.notes,
                               [&part](const std::string& note)
                               { return note.find(part) != std::string::npos; });
}

/// A pass of layers of two kernels each, behind what is there.
void
AddLayers(const std::string& name, uint32_t layers, std::vector<TraceNode>& nodes)
{
    for (uint32_t layer = 0; layer < layers; ++layer)
    {
        for (const char* const part : {"attention", "mlp"})
        {
            const uint64_t id = nodes.size() + 1;
            nodes.push_back(TraceNode(id,
                                      ChakraProtoMsg::COMP_NODE,
                                      fmt::format("layer {} {} {}", layer, part, name))
                                .Cpu(false)
                                .Micros(5));
        }
    }
}

void
AddKernel(const std::string& name, std::vector<TraceNode>& nodes)
{
    const uint64_t id = nodes.size() + 1;
    nodes.push_back(TraceNode(id, ChakraProtoMsg::COMP_NODE, name).Cpu(false).Micros(5));
}

} // namespace

TEST_CASE("FindDisagreement: members of a group make the same calls", "[unit][trace-tools]")
{
    CHECK(FindDisagreement(MakeCopies("4", "64")).empty());
    CHECK(FindDisagreement(Shuffled(MakeCopies("4", "64"))).empty());
    const std::string sizes =
        FindDisagreement(MixJobs(MakeCopies("4", "64"), MakeCopies("4", "128")));
    CHECK(sizes.starts_with("The ranks do not fit together: call 1 of a group is all-reduce of "));
    CHECK(
        sizes.ends_with("They may be recordings of different jobs, or of different parts of one."));
    const std::string counts =
        FindDisagreement(MixJobs(MakeCopies("4", "64"), MakeCopies("6", "64")));
    CHECK(counts.find("rank 0 calls 6 collectives of a group, and rank 1 of the same group 8") !=
          std::string::npos);
}

TEST_CASE("FindDisagreement: groups of the same ranks count as one", "[unit][trace-tools]")
{
    CHECK(FindDisagreement(ReadRanks({{AllReduce(1, "a"), AllReduce(2, "b")},
                                      {AllReduce(1, "b"), AllReduce(2, "a")}}))
              .empty());
    CHECK(FindDisagreement(ReadRanks({{AllReduce(1, "a"), AllReduce(2, "b")}, {AllReduce(1, "b")}}))
              .find("rank 0 calls 2 collectives of a group, and rank 1 of the same group 1") !=
          std::string::npos);
}

TEST_CASE("FindDisagreement: a member that calls nothing is noticed", "[unit][trace-tools]")
{
    CHECK(FindDisagreement(ReadRanks({{Kernel(1)}, {AllReduce(1, "a")}}))
              .find("rank 1 calls 1 collectives of a group, and rank 0 of the same group 0") !=
          std::string::npos);
}

TEST_CASE("What-if: ranks of different jobs are refused, and their kernels may still be faster",
          "[unit][trace-tools][what-if]")
{
    const Workload mixed = MixJobs(MakeCopies("4", "64"), MakeCopies("4", "128"));
    const JobStructure found = FindStructure(mixed, {}, {});
    CHECK(HasNote(found, "The ranks do not fit together"));
    for (const std::string setting : {"layers=2", "dp=4", "micro-batches=4", "pp=2"})
    {
        CAPTURE(setting);
        CHECK(ConfigErrorText([&] { ApplyWhatIf(mixed, found, ParseWhatIf({setting})); })
                  .starts_with("what-if: The ranks do not fit together"));
    }
    CHECK(ConfigErrorText([&] { ApplyWhatIf(mixed, found, ParseWhatIf({"speed=.:2"})); }).empty());
}

TEST_CASE("What-if: stages of different jobs are refused", "[unit][trace-tools][what-if]")
{
    const auto stages = [](const std::string& microBatch, const std::string& batch)
    {
        return MakeModelJob("transformer",
                            {{"layers", "4"},
                             {"hidden", "64"},
                             {"heads", "4"},
                             {"sequence", "32"},
                             {"vocabulary", "128"},
                             {"pp", "2"},
                             {"micro-batch", microBatch},
                             {"batch", batch}},
                            {2});
    };
    CHECK(FindLostMessages(stages("1", "4")).empty());
    CHECK(FindStructure(MixJobs(stages("1", "4"), stages("1", "8")), {}, {})
              .obstacle.starts_with("The ranks do not fit together: rank 0 sends 4 messages of "
                                    "16384 bytes together to rank 1, which receives 8 of 32768"));
    CHECK(FindStructure(MixJobs(stages("1", "4"), stages("2", "8")), {}, {})
              .obstacle.starts_with("The ranks do not fit together: rank 0 sends 4 messages of "
                                    "16384 bytes together to rank 1, which receives 4 of 32768"));
}

TEST_CASE("What-if: ranks of a stage with other numbers of passes are refused",
          "[unit][trace-tools][what-if]")
{
    const Workload mixed = MixJobs(MakeCopies("4", "64", "8"), MakeCopies("4", "64", "16"));
    CHECK(FindDisagreement(mixed).empty());
    CHECK(FindStructure(mixed, {}, {})
              .obstacle.starts_with("The ranks do not fit together: rank 0 goes through 8 passes, "
                                    "and rank 1, which is of the same stage, through 16"));
}

TEST_CASE("What-if: jobs of other widths that no call links are refused as one job",
          "[unit][trace-tools][what-if]")
{
    const auto jobOf = [](const std::string& hidden, const std::string& ffn, const char* tp)
    {
        return MakeModelJob("transformer",
                            {{"layers", "4"},
                             {"hidden", hidden},
                             {"ffn", ffn},
                             {"heads", "4"},
                             {"sequence", "32"},
                             {"vocabulary", "128"},
                             {"micro-batch", "1"},
                             {"tp", tp},
                             {"batch", "4"}},
                            {static_cast<uint32_t>(std::stoul(tp))});
    };
    const auto obstacleOf = [](const Workload& one, const Workload& other)
    { return FindStructure(SideBySide(one, other), {}, {}).obstacle; };
    const Workload narrow = jobOf("64", "256", "1");
    CHECK(obstacleOf(narrow, jobOf("128", "256", "1"))
              .starts_with("The ranks do not fit together: no call or message links rank 0 with "
                           "rank 1, and products of their layers have the inner sizes 64, 256 and "
                           "128, 256."));
    CHECK_FALSE(obstacleOf(narrow, jobOf("64", "128", "1")).empty());
    CHECK_FALSE(obstacleOf(jobOf("64", "256", "2"), jobOf("128", "256", "2")).empty());
    const JobStructure copies = FindStructure(SideBySide(narrow, narrow), {}, {});
    CHECK(copies.obstacle.empty());
    CHECK(copies.degrees.data == 2U);
    // Ranks of a job may have unequal parts: 2, 1 and 1 of 4 heads.
    const Workload uneven = jobOf("64", "256", "3");
    CHECK(FindStructure(uneven, {}, {}).obstacle.empty());
    CHECK(obstacleOf(uneven, uneven).empty());
    for (const std::string setting : {"layers=12", "dp=4", "pp=2", "hidden=256"})
    {
        CAPTURE(setting);
        const Workload mixed = SideBySide(narrow, jobOf("128", "256", "1"));
        const JobStructure found = FindStructure(mixed, {}, {});
        CHECK(ConfigErrorText([&] { ApplyWhatIf(mixed, found, ParseWhatIf({setting})); })
                  .starts_with("what-if: The ranks do not fit together"));
    }
}

TEST_CASE("FindStructure: passes of different numbers of layers are noted", "[unit][trace-tools]")
{
    std::vector<TraceNode> nodes;
    AddKernel("embedding", nodes);
    AddLayers("of one model", 4, nodes);
    AddKernel("embedding", nodes);
    AddLayers("of another", 3, nodes);
    const JobStructure found = FindStructure(ReadRanks({nodes}), {}, {});
    CHECK(found.layers == 4);
    CHECK(HasNote(found, "Rank 0: its passes go through 3 to 4 layers."));
}

TEST_CASE("FindStructure: what is only done backward is no layers", "[unit][trace-tools]")
{
    std::vector<TraceNode> nodes;
    AddLayers("gradient", 4, nodes);
    const JobStructure found = FindStructure(ReadRanks({nodes}), {}, {});
    CHECK_FALSE(found.HasLayers());
    CHECK(HasNote(found, "What repeats is of backward passes alone"));
}

TEST_CASE("FindStructure: kernels without a launch are noted where there is a host",
          "[unit][trace-tools]")
{
    const TraceNode launch = TraceNode(1, ChakraProtoMsg::COMP_NODE, "launch").Cpu(true).Micros(1);
    CHECK(
        HasNote(FindStructure(ReadRanks({{launch, Kernel(2).Data(1), Kernel(3).Data(2)}}), {}, {}),
                "Rank 0: 1 of 2 tasks have no launch among the operators of the host"));
    CHECK_FALSE(HasNote(FindStructure(ReadRanks({{Kernel(2), Kernel(3).Data(2)}}), {}, {}),
                        "have no launch"));
    const TraceNode wait =
        TraceNode(1, ChakraProtoMsg::COMP_NODE, "before the recording").Cpu(true);
    CHECK_FALSE(
        HasNote(FindStructure(ReadRanks({{wait, Kernel(2).Data(1), Kernel(3).Data(2)}}), {}, {}),
                "have no launch"));
}

TEST_CASE("FindBreakdown: times that lie hours apart are refused", "[unit][trace-tools]")
{
    const Workload job = ReadRanks({{Kernel(1).Micros(5), Kernel(2).Micros(5)}});
    // One node has no start, the other counts from 1970.
    const RecordedOrder order{{0, 1'700'000'000'000'000'000}, {}};
    CHECK(ConfigErrorText([&] { FindBreakdown(job.graphs[0], order); })
              .find("but less than three hours can be analysed") != std::string::npos);
    const RecordedOrder hours{{0, 9'000'000'000'000}, {}};
    CHECK(FindBreakdown(job.graphs[0], hours).Total() == 9'000'000'005'000);
}

} // namespace nadi::test
