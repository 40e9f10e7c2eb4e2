// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/channels.h"
#include "system/library/nccl/choice.h"
#include "system/library/nccl/release-family.h"
#include "tests/support/config-error-text.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

using namespace nadi;
using namespace nadi::nccl;

namespace
{

using TextRow = std::map<std::string, std::string>;

std::vector<std::string>
SplitAtCommas(const std::string& line)
{
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');)
    {
        cells.push_back(cell);
    }
    return cells;
}

/// The choices of the calibration's model (tests/scripts/test_library_choices.py).
std::vector<TextRow>
ReadChoices()
{
    std::ifstream file(std::string(TEST_DATA) + "/library/choices.csv");
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> names = SplitAtCommas(line);
    std::vector<TextRow> rows;
    while (std::getline(file, line))
    {
        const std::vector<std::string> cells = SplitAtCommas(line);
        for (size_t i = 0; i < names.size(); ++i)
        {
            i == 0 ? void(rows.emplace_back()[names[i]] = cells[i])
                   : void(rows.back()[names[i]] = cells[i]);
        }
    }
    return rows;
}

Machine
MachineOf(const TextRow& row)
{
    const std::map<std::string, Generation> generations{{"v100", Generation::V100},
                                                        {"a100", Generation::A100},
                                                        {"h100", Generation::H100},
                                                        {"b200", Generation::B200}};
    const std::map<std::string, double> links{
        {"v100", 150}, {"a100", 300}, {"h100", 450}, {"b200", 900}};
    Machine machine{.generation = generations.at(row.at("gpu")),
                    .release = ParseRelease(row.at("release"))};
    const auto local = static_cast<uint32_t>(std::stoul(row.at("ranks_per_node")));
    machine.nodes = static_cast<uint32_t>(std::stoul(row.at("nodes")));
    machine.ranks = machine.nodes * local;
    machine.link = links.at(row.at("gpu"));
    machine.nic = std::stod(row.at("nic_GBps")) * local;
    machine.nics = local;
    machine.isAmdProcessor = row.at("cpu") == "amd";
    const bool isBridge = row.at("nic_path") == "host-bridge";
    machine.nicPath = isBridge ? NicPath::HostBridge : NicPath::PcieSwitch;
    if (row.at("transport") == "efa")
    {
        machine.pluginLatency = 75;
        machine.isSimpleOnly =
            machine.generation == Generation::V100 || machine.generation == Generation::A100;
    }
    return machine;
}

CollectiveType
TypeOf(const TextRow& row)
{
    const std::string& name = row.at("collective");
    return name == "all-reduce"   ? CollectiveType::AllReduce
           : name == "all-gather" ? CollectiveType::AllGather
                                  : CollectiveType::Broadcast;
}

std::string
Describe(const TextRow& row)
{
    std::string text;
    for (const auto& [name, value] : row)
    {
        text += name + "=" + value + " ";
    }
    return text;
}

} // namespace

TEST_CASE("Choice: that of the calibration's model for each release, GPU, shape and network",
          "[unit][system][nccl]")
{
    const std::vector<TextRow> rows = ReadChoices();
    REQUIRE(rows.size() > 1000);
    for (const TextRow& row : rows)
    {
        const Kernel kernel =
            ChooseKernel(MachineOf(row), TypeOf(row), {}, std::stod(row.at("bytes_from")));
        INFO(Describe(row));
        CHECK(ToText(kernel.algorithm) == row.at("algorithm"));
        CHECK(ToText(kernel.protocol) == row.at("protocol"));
    }
}

TEST_CASE("Choice: what the user names runs, and the ring where it cannot", "[unit][system][nccl]")
{
    Machine machine{.generation = Generation::H100, .release = {2, 21}};
    machine.ranks = 8;
    machine.link = 450;
    const KernelWish tree{.algorithm = KernelAlgorithm::Tree, .protocol = KernelProtocol::LL128};
    const Kernel chosen = ChooseKernel(machine, CollectiveType::AllReduce, tree, 1e9);
    CHECK(chosen == Kernel{KernelAlgorithm::Tree, KernelProtocol::LL128});
    CHECK(ChooseKernel(machine, CollectiveType::AllGather, tree, 1e9).algorithm ==
          KernelAlgorithm::Ring);
}

TEST_CASE("Choice: NVLS from five GPUs of a node on, and from three on if the user wants it",
          "[unit][system][nccl]")
{
    const auto chooses = [](Machine machine, const KernelWish& wish)
    {
        machine.link = 450;
        return ChooseKernel(machine, CollectiveType::AllReduce, wish, 1e10).algorithm;
    };
    const KernelWish nvls{.algorithm = KernelAlgorithm::Nvls, .protocol = {}};
    Machine machine{.generation = Generation::H100, .release = {2, 21}};
    for (uint32_t ranks = 2; ranks <= 8; ++ranks)
    {
        CAPTURE(ranks);
        machine.ranks = ranks;
        CHECK((chooses(machine, {}) == KernelAlgorithm::Nvls) == (ranks >= 5));
        CHECK((chooses(machine, nvls) == KernelAlgorithm::Nvls) == (ranks >= 3));
    }
    machine.switchesReduce = false;
    CHECK(chooses(machine, {}) != KernelAlgorithm::Nvls);
    CHECK(chooses(machine, nvls) == KernelAlgorithm::Ring);
}

TEST_CASE("Choice: NVLSTree came a release after NVLS, and LL128 one after the trees",
          "[unit][system][nccl]")
{
    const auto has = [](Machine machine, Release release, const Kernel& kernel)
    {
        machine.release = release;
        const std::vector<Kernel> allowed = AllowedKernels(machine, CollectiveType::AllReduce, {});
        return std::find(allowed.begin(), allowed.end(), kernel) != allowed.end();
    };
    const Kernel nvls{KernelAlgorithm::Nvls, KernelProtocol::Simple};
    const Machine node{.generation = Generation::H100, .release = {}, .ranks = 8, .link = 450};
    CHECK_FALSE(has(node, {2, 16}, nvls));
    CHECK(has(node, {2, 17}, nvls));

    const Kernel nvlsTree{KernelAlgorithm::NvlsTree, KernelProtocol::Simple};
    Machine nodes = node;
    nodes.ranks = 16;
    nodes.nodes = 2;
    CHECK_FALSE(has(nodes, {2, 17, 1}, nvlsTree));
    CHECK(has(nodes, {2, 18}, nvlsTree));

    const Machine dgx{.generation = Generation::V100, .release = {}, .ranks = 8, .link = 150};
    for (const KernelAlgorithm algorithm : {KernelAlgorithm::Ring, KernelAlgorithm::Tree})
    {
        CHECK_FALSE(has(dgx, {2, 4, 8}, {algorithm, KernelProtocol::LL128}));
        CHECK(has(dgx, {2, 5}, {algorithm, KernelProtocol::LL128}));
    }
}

TEST_CASE("Choice: a wish for another protocol than Simple rules NVLS out", "[unit][system][nccl]")
{
    Machine machine{.generation = Generation::H100, .release = {2, 21}};
    machine.ranks = 8;
    machine.link = 450;
    for (const auto algorithm :
         {std::optional<KernelAlgorithm>{}, std::optional(KernelAlgorithm::Nvls)})
    {
        const auto choose = [&](KernelProtocol protocol)
        {
            return ChooseKernel(machine,
                                CollectiveType::AllReduce,
                                {.algorithm = algorithm, .protocol = protocol},
                                1e10);
        };
        CHECK(choose(KernelProtocol::Simple) ==
              Kernel{KernelAlgorithm::Nvls, KernelProtocol::Simple});
        CHECK(choose(KernelProtocol::LL128) ==
              Kernel{KernelAlgorithm::Ring, KernelProtocol::LL128});
        CHECK(choose(KernelProtocol::LL).protocol == KernelProtocol::LL);
    }
}

TEST_CASE("Choice: says why the algorithm of a wish cannot run", "[unit][system][nccl]")
{
    using enum KernelAlgorithm;
    const KernelWish nvls{.algorithm = Nvls, .protocol = {}};
    const KernelWish nvlsTree{.algorithm = NvlsTree, .protocol = {}};
    const Machine node{.generation = Generation::H100, .release = {2, 21}, .ranks = 8, .link = 450};
    const auto why = [](const Machine& machine, const KernelWish& wish)
    { return FindObstacle(machine, CollectiveType::AllReduce, wish); };
    const auto whyNot = [&](const auto& change)
    {
        Machine machine = node;
        change(machine);
        return why(machine, nvls);
    };
    Machine nodes = node;
    nodes.ranks = 16;
    nodes.nodes = 2;
    CHECK(why(node, nvls).empty());
    CHECK(why(nodes, nvlsTree).empty());
    CHECK(why(node, {}).empty());
    CHECK(why(node, {.algorithm = Tree, .protocol = KernelProtocol::LL}).empty());

    CHECK(why(nodes, nvls) == "its ranks are in several nodes; write nvls-tree for such");
    CHECK(why(node, nvlsTree) == "its ranks are in one node; write nvls for such");
    CHECK(why(node, {.algorithm = Nvls, .protocol = KernelProtocol::LL}) ==
          "it runs with the protocol Simple only, and system.library.protocol is LL");
    CHECK(whyNot([](Machine& m) { m.generation = Generation::A100; }) ==
          "its GPUs cannot; those of the presets h100, h200, gh200, b200 and gb200 can");
    CHECK(whyNot(
              [](Machine& m) {
                  m.release = {2, 16};
              }) == "the library has it from release 2.17 on");
    nodes.release = {2, 17, 1};
    for (const KernelWish& wish : {nvls, nvlsTree})
    {
        CHECK(why(nodes, wish) ==
              "the library has nvls-tree, which several nodes need, from release 2.18 on");
    }
    CHECK(whyNot([](Machine& m) { m.ranks = 2; }) == "it needs 3 ranks in each node");
    CHECK(whyNot([](Machine& m) { m.isRegular = false; }) ==
          "its nodes have unequal numbers of its ranks");
    CHECK(whyNot([](Machine& m) { m.wiring = NodeWiring::Mesh; }) ==
          "no switch connects the GPUs of a node");
    CHECK(whyNot([](Machine& m) { m.switchesReduce = false; }) ==
          "the switches of its nodes cannot reduce for it");
    const KernelWish tree{.algorithm = Tree, .protocol = {}};
    // The key is of all-reduces.
    CHECK(FindObstacle(node, CollectiveType::AllGather, tree).empty());
    CHECK(
        FindObstacle(node, CollectiveType::AllGather, {.algorithm = Ring, .protocol = {}}).empty());
}

TEST_CASE("FamilyOf: the third number of a release counts", "[unit][system][nccl]")
{
    CHECK(FamilyOf(ParseRelease("2.28")).nvlsNet == 14);
    CHECK(FamilyOf(ParseRelease("2.28.8")).nvlsNet == 14);
    CHECK(FamilyOf(ParseRelease("2.28.9")).nvlsNet == 20.9);
    CHECK(FamilyOf(ParseRelease("2.29")).nvlsNet == 20.9);
}

TEST_CASE("UsedChannels: NVLS has as many whatever the size", "[unit][system][nccl]")
{
    Machine node;
    node.ranks = 8;
    for (const double size : {1.0, 1e5, 1e9})
    {
        CHECK(UsedChannels(node, KernelAlgorithm::Nvls, KernelProtocol::Simple, size) == 16);
    }
    CHECK(UsedChannels(node, KernelAlgorithm::Ring, KernelProtocol::Simple, 1e9) == 24);
}

TEST_CASE("Release: two or three numbers, from 2.4 on", "[unit][system][nccl]")
{
    CHECK(ParseRelease("2.21") == Release{2, 21});
    CHECK(ParseRelease("2.18.5") == Release{2, 18, 5});
    CHECK(ParseRelease("2.18") < ParseRelease("2.18.5"));
    for (const char* text : {"2", "2.", "2.3", "3.1", "2.21.5.1", "2.x", "", "two"})
    {
        CHECK(ConfigErrorText([&] { ParseRelease(text); }) ==
              "release: \"" + std::string(text) +
                  "\" is no release; write one from \"2.4\" on, as \"2.21\"");
    }
}
