// SPDX-License-Identifier: GPL-2.0-only
#include "network/make-routing.h"
#include "system/message-programs/program-bytes.h"
#include "system/message-programs/program-store.h"
#include "system/synthesis/synthesis-key.h"
#include "system/synthesis/synthesis.h"
#include "tests/support/grid-topology.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

const PacketOptions STORE_PACKET;

Topology
MakeStoreMesh()
{
    return MakeGridTopology({{3, 2}, {50'000'000'000, 25'000'000'000}, SimTime::FromNs(500)});
}

ProgramWish
StoreWishFor(CollectiveType type, int64_t size = 6000)
{
    return {.type = type, .ranks = FirstRanks(6), .root = 0, .size = Bytes(size)};
}

StoredProgram
MakeStored(CollectiveType type)
{
    const Topology mesh = MakeStoreMesh();
    SynthesisRequest request;
    request.type = type;
    request.ranks = FirstRanks(6);
    request.elements = type == CollectiveType::Barrier ? 0 : 6000;
    const auto routing = MakeRouting(mesh);
    return {.program =
                Synthesize({.topology = mesh, .routing = *routing, .packet = STORE_PACKET}, request)
                    .program,
            .builtIn = {}};
}

StoreKey
StoreKeyOf(uint64_t word)
{
    StoreKey key;
    key.Add(word);
    return key;
}

/// The only file in a directory.
std::filesystem::path
StoreFileIn(const std::filesystem::path& directory)
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
    {
        files.push_back(entry.path());
    }
    REQUIRE(files.size() == 1);
    return files.front();
}

std::string
StoreBytesIn(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void
OverwriteStored(const std::filesystem::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::binary) << text;
}

} // namespace

TEST_CASE("Program bytes: what is read is what was written", "[unit][system]")
{
    for (const auto type : {CollectiveType::AllReduce,
                            CollectiveType::AllToAll,
                            CollectiveType::Gather,
                            CollectiveType::Barrier})
    {
        const std::string bytes = WriteProgramBytes(MakeStored(type).program);
        const auto read = ReadProgramBytes(bytes);
        REQUIRE(read);
        CHECK(WriteProgramBytes(*read) == bytes);
        CHECK(read->Buffers().type == type);
        CHECK_FALSE(ReadProgramBytes(bytes + '\0'));
    }
}

TEST_CASE("Program bytes: cut or changed bytes are no program, or another one", "[unit][system]")
{
    const std::string bytes = WriteProgramBytes(MakeStored(CollectiveType::AllGather).program);
    for (size_t length = 0; length < bytes.size(); length += 3)
    {
        CHECK_FALSE(ReadProgramBytes(bytes.substr(0, length)));
    }
    for (size_t at = 0; at < bytes.size(); ++at)
    {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ 0x5a);
        const auto read = ReadProgramBytes(changed); // must not fail a check
        CHECK((!read || WriteProgramBytes(*read) != bytes));
    }
}

TEST_CASE("ProgramStore: a program is found again by its key, version and wish", "[unit][system]")
{
    const ScratchDirectory scratch("program-store");
    const ProgramDirectory directory{(scratch.Path() / "plans").string(), "one"};
    const StoredProgram made{.program = MakeStored(CollectiveType::AllReduce).program,
                             .builtIn = "ring"};
    std::string complaint;
    CHECK_FALSE(ProgramStore(directory, StoreKeyOf(1))
                    .Load(StoreWishFor(CollectiveType::AllReduce), complaint));
    REQUIRE(ProgramStore(directory, StoreKeyOf(1)).Save(made).empty());

    const auto kept = ProgramStore(directory, StoreKeyOf(1))
                          .Load(StoreWishFor(CollectiveType::AllReduce), complaint);
    REQUIRE(kept);
    CHECK(kept->builtIn == "ring");
    CHECK(WriteProgramBytes(kept->program) == WriteProgramBytes(made.program));
    CHECK_FALSE(ProgramStore(directory, StoreKeyOf(2))
                    .Load(StoreWishFor(CollectiveType::AllReduce), complaint));
    const ProgramDirectory other{directory.path, "two"};
    CHECK_FALSE(ProgramStore(other, StoreKeyOf(1))
                    .Load(StoreWishFor(CollectiveType::AllReduce), complaint));
    CHECK(complaint.empty());
    CHECK_FALSE(ProgramStore(directory, StoreKeyOf(1))
                    .Load(StoreWishFor(CollectiveType::AllGather), complaint));
    CHECK_FALSE(complaint.empty());
}

TEST_CASE("ProgramStore: no damaged file is used", "[unit][system]")
{
    const ScratchDirectory scratch("program-store-damage");
    const ProgramDirectory directory{scratch.Path().string(), "one"};
    const ProgramStore store(directory, StoreKeyOf(1));
    REQUIRE(store.Save(MakeStored(CollectiveType::Broadcast)).empty());
    const std::filesystem::path file = StoreFileIn(scratch.Path());
    const std::string whole = StoreBytesIn(file);
    const auto isUsed = [&](const std::string& text)
    {
        OverwriteStored(file, text);
        std::string complaint;
        const bool isFound =
            store.Load(StoreWishFor(CollectiveType::Broadcast), complaint).has_value();
        CHECK(complaint.empty() == isFound);
        return isFound;
    };
    CHECK(isUsed(whole));
    CHECK_FALSE(isUsed(""));
    CHECK_FALSE(isUsed("<algo/>\n"));
    CHECK_FALSE(isUsed(whole.substr(0, whole.size() / 2)));
    CHECK_FALSE(isUsed(whole + "x"));
    for (size_t at = 0; at < whole.size(); at += 7)
    {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        CHECK_FALSE(isUsed(changed));
    }
    REQUIRE(store.Save(MakeStored(CollectiveType::Broadcast)).empty());
    CHECK(isUsed(StoreBytesIn(file)));
}

TEST_CASE("ProgramStore: without a version nothing is kept", "[unit][system]")
{
    const ScratchDirectory scratch("program-store-version");
    const ProgramDirectory directory{(scratch.Path() / "plans").string(), ""};
    CHECK_FALSE(
        ProgramStore(directory, StoreKeyOf(1)).Save(MakeStored(CollectiveType::Reduce)).empty());
    CHECK_FALSE(std::filesystem::exists(directory.path));
}

TEST_CASE("Synthesis key: whatever a program depends on changes it", "[unit][system]")
{
    const auto keyOf = [](const Topology& topology,
                          const ProgramWish& wish,
                          const SynthesisOptions& options,
                          const PacketOptions& packet,
                          SimTime endpointDelay)
    {
        const auto routing = MakeRouting(topology);
        return MakeSynthesisKey({.topology = topology,
                                 .routing = *routing,
                                 .packet = packet,
                                 .endpointDelay = endpointDelay},
                                wish,
                                options)
            .Hex();
    };
    const Topology mesh = MakeStoreMesh();
    const Topology slower =
        MakeGridTopology({{3, 2}, {50'000'000'000, 24'000'000'000}, SimTime::FromNs(500)});
    const Topology longer =
        MakeGridTopology({{3, 2}, {50'000'000'000, 25'000'000'000}, SimTime::FromNs(501)});
    const Topology broken = MakeGridTopology(
        {{3, 2}, {50'000'000'000, 25'000'000'000}, SimTime::FromNs(500), false, true});
    const ProgramWish wish = StoreWishFor(CollectiveType::AllGather);
    ProgramWish fewer = wish;
    fewer.ranks.pop_back();
    PacketOptions bare;
    bare.header = Bytes(0);
    const SimTime delay = SimTime::FromNs(10);
    const std::vector<std::string> keys{
        keyOf(mesh, wish, {}, STORE_PACKET, delay),
        keyOf(slower, wish, {}, STORE_PACKET, delay),
        keyOf(longer, wish, {}, STORE_PACKET, delay),
        keyOf(broken, wish, {}, STORE_PACKET, delay),
        keyOf(mesh, fewer, {}, STORE_PACKET, delay),
        keyOf(mesh, StoreWishFor(CollectiveType::AllReduce), {}, STORE_PACKET, delay),
        keyOf(mesh, StoreWishFor(CollectiveType::AllGather, 6001), {}, STORE_PACKET, delay),
        keyOf(mesh, wish, {.chunks = {}, .seed = 2}, STORE_PACKET, delay),
        keyOf(mesh, wish, {.chunks = {}, .tries = 2}, STORE_PACKET, delay),
        keyOf(mesh, wish, {.chunks = 2}, STORE_PACKET, delay),
        keyOf(mesh, wish, {}, bare, delay),
        keyOf(mesh, wish, {}, STORE_PACKET, SimTime::FromNs(11))};
    CHECK(std::set<std::string>(keys.begin(), keys.end()).size() == keys.size());
    CHECK(keys.front() == keyOf(MakeStoreMesh(), wish, {}, STORE_PACKET, delay));
}
