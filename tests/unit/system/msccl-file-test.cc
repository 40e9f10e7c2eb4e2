// SPDX-License-Identifier: GPL-2.0-only
// Collective algorithms of MSCCL: what is read, and what is refused with which words.
#include "system/library/msccl-file/msccl-file.h"
#include "system/library/msccl-file/msccl-limits.h"
#include "system/library/msccl-file/msccl-order.h"
#include "tests/support/config-error-text.h"
#include "tests/support/contains.h"
#include "tests/support/msccl-programs.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// `text` with the first `from` replaced.
std::string
Replace(std::string text, const std::string& from, const std::string& to)
{
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

std::string
ErrorOf(const std::string& text)
{
    return ConfigErrorText([&text] { ParseMscclAlgorithm(text, "a.xml"); });
}

/// What is said of a ring of three GPUs in which `from` is `to`. Line 1 is <algo>, 2 <gpu>, 3 the
/// first <tb>, 4 its step, 6 the second <tb>, 7 to 9 its steps.
std::string
ErrorWith(const std::string& from, const std::string& to)
{
    return ErrorOf(Replace(MakeAllGatherRing(3), from, to));
}

} // namespace

TEST_CASE("MSCCL: a file's numbers are the algorithm's", "[unit][system]")
{
    const MscclAlgorithm ring = ParseMscclAlgorithm(
        Replace(MakeAllGatherRing(3), "inplace", "minBytes=\"5\" maxBytes=\"70\" inplace"),
        "a.xml");
    CHECK(ring.name == "ring");
    CHECK(ring.collective == CollectiveType::AllGather);
    CHECK(ring.protocol == "Simple");
    CHECK(ring.channels == 1);
    CHECK(ring.chunks == 3);
    CHECK_FALSE(ring.isInPlace);
    CHECK(ring.leastBytes == 5);
    CHECK(ring.mostBytes == 70);
    REQUIRE(ring.gpus.size() == 3);
    const MscclGpu& gpu = ring.gpus[1];
    CHECK(gpu.chunks == std::array<uint32_t, 3>{1, 3, 0});
    REQUIRE(gpu.blocks.size() == 2);
    CHECK_FALSE(gpu.blocks[0].sendPeer);
    CHECK(gpu.blocks[1].sendPeer == 2);
    CHECK(gpu.blocks[1].receivePeer == 0);
    REQUIRE(gpu.blocks[1].steps.size() == 3);
    CHECK(gpu.blocks[0].steps[0].action == MscclAction::Copy);
    CHECK(gpu.blocks[0].steps[0].destination.chunk == 1);
    CHECK(gpu.blocks[1].steps[1].action == MscclAction::ReceiveCopySend);
    CHECK(gpu.blocks[1].steps[1].destination.buffer == MscclBuffer::Output);
    CHECK(gpu.blocks[1].steps[2].destination.chunk == 2);
    CHECK(ring.gpus[0].blocks[1].steps[2].line == 9);
}

TEST_CASE("MSCCL: a step waits for the step that depid and deps name", "[unit][system]")
{
    const MscclAlgorithm exchange = ParseMscclAlgorithm(MakeExchange(), "a.xml");
    const MscclThreadBlock& adder = exchange.gpus[1].blocks[2];
    CHECK_FALSE(adder.steps[0].waitsFor);
    CHECK(adder.steps[1].waitsFor == MscclStepId{1, 0});
    CHECK(adder.steps[2].count == 2);
}

TEST_CASE("MSCCL: the second form has op, step, buf and off", "[unit][system]")
{
    const std::string text =
        "<algo name=\"pass\" proto=\"LL128\" nchannels=\"1\" ngpus=\"2\" coll=\"custom\" "
        "inplace=\"0\">"
        "<gpu id=\"1\" i_chunks=\"0\" o_chunks=\"4\" s_chunks=\"0\"><tb id=\"0\" send=\"-1\" "
        "recv=\"0\" chan=\"0\"><op step=\"0\" type=\"r\" buf=\"o\" off=\"2\" cnt=\"2\"/></tb></gpu>"
        "<gpu id=\"0\" i_chunks=\"4\" o_chunks=\"0\" s_chunks=\"0\"><tb id=\"0\" send=\"1\" "
        "recv=\"-1\" chan=\"0\"><op step=\"0\" type=\"s\" buf=\"i\" off=\"1\" "
        "cnt=\"2\"/></tb></gpu>"
        "</algo>";
    const MscclAlgorithm pass = ParseMscclAlgorithm(text, "a.xml");
    CHECK_FALSE(pass.collective);
    CHECK(pass.chunks == 4);
    CHECK(pass.gpus[0].blocks[0].steps[0].source.chunk == 1);
    CHECK(pass.gpus[1].blocks[0].steps[0].destination.chunk == 2);
    CHECK(pass.gpus[1].blocks[0].steps[0].count == 2);
    CHECK(ErrorOf(Replace(text, "type=\"s\"", "type=\"cpy\"")) ==
          "a.xml:1: <op>: has one place, but needs two; write srcbuf, srcoff, dstbuf and dstoff");
}

TEST_CASE("MSCCL: a buffer left out since it shares its memory has its whole size",
          "[unit][system]")
{
    const MscclAlgorithm passing = ParseMscclAlgorithm(MakeReduceScatterRing(), "a.xml");
    CHECK(passing.gpus[0].chunks == std::array<uint32_t, 3>{3, 1, 0});
}

TEST_CASE("MSCCL: the k-th send meets the k-th receive", "[unit][system]")
{
    const MscclAlgorithm ring = ParseMscclAlgorithm(MakeAllGatherRing(3), "a.xml");
    const std::vector<MscclMessage> messages = MatchMscclMessages(ring);
    REQUIRE(messages.size() == 3 * 2);
    CHECK(messages[1].sender.gpu == 0);
    CHECK(messages[1].sender.step == MscclStepId{1, 1}); // rcs is the second that sends
    CHECK(messages[1].receiver.gpu == 1);
    CHECK(messages[1].receiver.step == MscclStepId{1, 2}); // r is the second that receives
    std::vector<bool> isDone(3 * 4);
    for (const MscclGlobalStep& step : OrderMscclSteps(ring, messages))
    {
        const auto placeOf = [](uint32_t gpu, MscclStepId id)
        { return 4 * gpu + id.block + id.step; }; // one step in block 0, three in block 1
        CHECK((step.step.step == 0 || isDone[placeOf(step.gpu, step.step) - 1]));
        isDone[placeOf(step.gpu, step.step)] = true;
    }
    CHECK(std::find(isDone.begin(), isDone.end(), false) == isDone.end());
}

TEST_CASE("MSCCL: what is no algorithm is refused", "[unit][system]")
{
    CHECK(Contains(ErrorOf(""), "a.xml:1: is no XML ("));
    CHECK(Contains(ErrorOf("<algo>\n<gpu>\n</algo>"), "a.xml:3: is no XML ("));
    CHECK(ErrorOf("<plan/>") ==
          "a.xml:1: <plan>: is no algorithm of MSCCL; write <algo ...> with <gpu> elements");
    CHECK(ErrorOf("<algo/>") == "a.xml:1: <algo>: lacks name; write name=\"...\"");
    CHECK(ErrorWith("ring", "ring\" color=\"red") ==
          "a.xml:1: <algo>: no attribute is called color (did you mean coll?)");
    CHECK(ErrorWith("proto=\"Simple\"", "proto=\"simple\"") ==
          "a.xml:1: <algo>: proto=\"simple\" is not known (did you mean Simple?)");
    CHECK(ErrorWith("inplace=\"0\"", "inplace=\"0\" inplace=\"1\"") ==
          "a.xml:1: <algo>: inplace is given twice; keep one of them");
    CHECK(ErrorWith("nchannels=\"1\"", "nchannels=\"0\"") ==
          "a.xml:1: <algo>: nchannels is 0; write 1 or more");
    CHECK(ErrorWith("ngpus=\"3\"", "ngpus=\"4\"") ==
          "a.xml:1: <algo>: ngpus is 4, but it has 3 <gpu>; write one for each GPU");
    CHECK(ErrorWith("nchunksperloop=\"3\"", "nchunksperloop=\"0\"") ==
          "a.xml:1: <algo>: nchunksperloop is 0; write into how many chunks the buffer is cut");
    CHECK(ErrorWith("nchunksperloop=\"3\"", "nchunksperloop=\"4\"") ==
          "a.xml:1: <algo>: 4 chunks cannot be shared among 3 GPUs; write a multiple of 3");
    CHECK(ErrorWith("inplace=", "minBytes=\"9\" maxBytes=\"8\" inplace=") ==
          "a.xml:1: <algo>: minBytes is above maxBytes; exchange them");
    CHECK(Contains(ErrorWith("nchannels=\"1\"", "nchannels=\"-2\""),
                   "nchannels=\"-2\" is not possible; write a whole number up to "));
}

TEST_CASE("MSCCL: GPUs and thread blocks that cannot be are refused", "[unit][system]")
{
    CHECK(ErrorWith("<gpu id=\"1\"", "<gpu id=\"0\"") ==
          "a.xml:11: <gpu>: id 0 is given twice; number the GPUs from 0");
    CHECK(ErrorWith("i_chunks=\"1\"", "i_chunks=\"2\"") ==
          "a.xml:2: <gpu>: i_chunks is 2; 3 chunks for 3 GPUs make it 1");
    CHECK(ErrorWith("o_chunks=\"3\"", "o_chunks=\"0\"") ==
          "a.xml:2: <gpu>: o_chunks is 0; 3 chunks for 3 GPUs make it 3");
    CHECK(ErrorWith("<tb id=\"1\"", "<tb id=\"3\"") ==
          "a.xml:6: <tb>: id is 3; number the thread blocks of a GPU from 0, so that this is 1");
    CHECK(ErrorWith("send=\"1\"", "send=\"0\"") ==
          "a.xml:6: <tb>: send=\"0\" is its own GPU; write another one, or -1 for none");
    CHECK(ErrorWith("send=\"1\"", "send=\"3\"") ==
          "a.xml:6: <tb>: send=\"3\" is not possible; write a whole number up to 2");
    CHECK(ErrorWith("recv=\"2\" chan=\"0\"", "recv=\"2\" chan=\"-1\"") ==
          "a.xml:6: <tb>: has a peer but no channel; write chan=\"0\"");
    CHECK(ErrorWith("<tb id=\"1\"", "<block/><tb id=\"1\"") ==
          "a.xml:6: <block>: does not belong into <gpu>; known: tb");
    CHECK(ErrorWith("<tb id=\"1\"", "hello<tb id=\"1\"") ==
          "a.xml:2: <gpu>: has text inside; write tb elements only");
}

TEST_CASE("MSCCL: steps that cannot be are refused", "[unit][system]")
{
    CHECK(ErrorWith("type=\"s\"", "type=\"send\"") ==
          "a.xml:7: <step>: type=\"send\" is not known; known: cpy, nop, r, rcs, re, rrc, rrcs, "
          "rrs, s");
    CHECK(ErrorWith("s=\"1\" type=\"rcs\"", "s=\"2\" type=\"rcs\"") ==
          "a.xml:8: <step>: s is 2; number the steps of a thread block from 0, so that this is 1");
    CHECK(ErrorWith("cnt=\"1\"", "cnt=\"0\"") ==
          "a.xml:4: <step>: cnt is 0; write how many chunks it moves, 1 or more");
    CHECK(ErrorWith("cnt=\"1\"", "cnt=\"2\"") ==
          "a.xml:4: <step>: chunks 0 to 1 are past the end of buffer i, which has 1; write smaller "
          "srcoff or cnt, or a larger i_chunks");
    CHECK(ErrorWith("dstbuf=\"o\"", "dstbuf=\"s\"") ==
          "a.xml:4: <step>: chunks 0 to 0 are past the end of buffer s, which has 0; write smaller "
          "dstoff or cnt, or a larger s_chunks");
    CHECK(ErrorWith("depid=\"-1\"", "depid=\"1\"") ==
          "a.xml:4: <step>: has one of depid and deps; write both, the thread block and its step, "
          "or -1 for both");
    CHECK(ErrorWith("send=\"1\"", "send=\"-1\"") ==
          "a.xml:7: <step>: sends, but its thread block has no peer for that; write send=\"...\" "
          "there");
    CHECK(ErrorWith("recv=\"2\"", "recv=\"-1\"") ==
          "a.xml:8: <step>: receives, but its thread block has no peer for that; write "
          "recv=\"...\" there");
}

TEST_CASE("MSCCL: messages that do not meet are refused", "[unit][system]")
{
    // GPU 0 sends to GPU 2, which waits for GPU 1 only.
    CHECK(ErrorWith("send=\"1\"", "send=\"2\"") ==
          "a.xml:15: <tb>: GPU 0 to GPU 1 on channel 0 has 0 sends but 2 receives; write as many "
          "of both");
    CHECK(ErrorWith("type=\"rcs\"", "type=\"r\"") ==
          "a.xml:6: <tb>: GPU 0 to GPU 1 on channel 0 has 1 sends but 2 receives; write as many of "
          "both");
    const std::string exchange = MakeExchange();
    CHECK(ErrorOf(Replace(exchange, "cnt=\"2\"", "cnt=\"1\"")) ==
          "a.xml:4: <step>: sends 1 chunk, but a.xml:19 receives 2; write the same cnt");
    // The first thread block, which only copied, serves the same connection as the second one.
    const std::string twice =
        Replace(MakeAllGatherRing(2),
                "send=\"-1\" recv=\"-1\" chan=\"0\">\n<step s=\"0\" type=\"cpy\"",
                "send=\"1\" recv=\"-1\" chan=\"0\">\n<step s=\"0\" type=\"s\"");
    CHECK(ErrorOf(twice) ==
          "a.xml:6: <tb>: another thread block serves GPU 0 to GPU 1 on channel 0 already; choose "
          "another channel");
}

TEST_CASE("MSCCL: an algorithm that never ends is refused", "[unit][system]")
{
    CHECK(ErrorOf(MakeExchange("3", "0")) ==
          "a.xml:11: <step>: waits for step 0 of thread block 3, which GPU 0 does not have; write "
          "depid and deps of one that it has");
    // The addition, step 2 of thread block 2, comes after the step that waits for it.
    CHECK(
        ErrorOf(MakeExchange("2", "2")) ==
        "a.xml:11: <step>: it and 3 other steps wait for each other in a circle, so the algorithm "
        "never ends; change the order of steps, or depid and deps");
    // Both GPUs receive before they send.
    std::string both = "<algo name=\"b\" proto=\"LL\" nchannels=\"1\" nchunksperloop=\"1\" "
                       "ngpus=\"2\" coll=\"custom\" inplace=\"0\">\n";
    for (uint32_t gpu = 0; gpu < 2; ++gpu)
    {
        both += fmt::format("<gpu id=\"{0}\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">"
                            "<tb id=\"0\" send=\"{1}\" recv=\"{1}\" chan=\"0\">\n",
                            gpu,
                            1 - gpu);
        both += FormatStep(0, {"r"}) + FormatStep(1, {"s"}) + "</tb></gpu>\n";
    }
    CHECK(Contains(ErrorOf(both + "</algo>"), "a.xml:3: <step>: it and 3 other steps wait"));
}

TEST_CASE("MSCCL: a limit of the runtime is a sentence", "[unit][system]")
{
    CHECK(FindPassedLimits(ParseMscclAlgorithm(MakeAllGatherRing(256), "a.xml")).empty());
    const std::vector<std::string> notes =
        FindPassedLimits(ParseMscclAlgorithm(MakeAllGatherRing(257), "a.xml"));
    REQUIRE(notes.size() == 1);
    CHECK(notes[0] == "257 steps in a thread block; the runtime of MSCCL allows 256 at most");
}
