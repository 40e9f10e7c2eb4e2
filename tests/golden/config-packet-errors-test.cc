// SPDX-License-Identifier: GPL-2.0-only
// Every way to get `network.packet` wrong, with the line that the user reads.
#include "tests/support/config-cases.h"

using namespace nadi;
using namespace nadi::test;

TEST_CASE("Configuration errors: packet", "[golden][cli]")
{
    CheckAll({
        {WithPacket("{payload: 0 B}"),
         R"(c.yaml:4: network.packet.payload: must not be 0; write a size such as 4 KiB)"},
        {WithPacket("{payload: 4096}"),
         R"(c.yaml:4: network.packet.payload: "4096" has no unit; write "4096 B" or )"
         R"("4096 KiB")"},
        {WithPacket("{acknowledge: sometimes}"),
         R"(c.yaml:4: network.packet.acknowledge: "sometimes" is not valid; write )"
         R"(auto, message, frame or a number such as "4 frames")"},
        {WithPacket("{acknowledge: 4}"),
         R"(c.yaml:4: network.packet.acknowledge: "4" is not valid; write auto, )"
         R"(message, frame or a number such as "4 frames")"},
        {WithPacket("{trains: maybe}"),
         R"(c.yaml:4: network.packet.trains: "maybe" is not valid; write on or off)"},
        {WithPacket("{window: 1}"),
         R"(c.yaml:4: network.packet.window: "1" has no unit; write "1 B" or "1 KiB")"},
        {WithPacket("{window: 0 B}"),
         R"(c.yaml:4: network.packet.window: must not be 0; write a size such as 4 KiB)"},
        {WithPacket("{window: wide}"),
         R"(c.yaml:4: network.packet.window: "wide" is not valid; write none, bdp or )"
         R"(a size such as 64 KiB)"},
        {WithPacket("{buffer: 0 B}"),
         R"(c.yaml:4: network.packet.buffer: must not be 0; write a size such as 4 KiB, )"
         R"(or unlimited)"},
        {WithPacket("{load-balancing: sprays}"),
         R"(c.yaml:4: network.packet.load-balancing: "sprays" is not valid; write )"
         R"(ecmp, adaptive, flowlet or spray)"},
        {WithPacket("{switching: cut-trough}"),
         R"(c.yaml:4: network.packet.switching: "cut-trough" is not valid; write )"
         R"(store-and-forward or cut-through)"},
        {WithPacket("{loss-recovery: none}"),
         R"(c.yaml:4: network.packet.loss-recovery: "none" is not valid; write )"
         R"(go-back-n or selective)"},
        {WithPacket("{retransmit-timeout: 0 us}"),
         R"(c.yaml:4: network.packet.retransmit-timeout: must not be 0; write a time )"
         R"(such as 10 us, or auto)"},
        {WithPacket("{retransmit-timeout: 4 KiB}"),
         R"(c.yaml:4: network.packet.retransmit-timeout: "4 KiB" is a size, not a )"
         R"(time; write "4 ns" or "4 us", or auto)"},
    });
}

TEST_CASE("Configuration errors: congestion control", "[golden][cli]")
{
    const std::string coarse = "c.yaml:4: network.packet.acknowledge: ";
    const auto needs = [](const std::string& control)
    {
        return " is too coarse: " + control +
               " acts on an acknowledgement per frame; write auto or frame";
    };
    CheckAll({
        {WithPacket("{congestion-control: dqcn}"),
         R"(c.yaml:4: network.packet.congestion-control: "dqcn" is not valid; write )"
         R"(none, dcqcn, dctcp, hpcc, swift or timely)"},
        {WithPacket("{congestion-control: [dcqcn]}"),
         R"(c.yaml:4: network.packet.congestion-control: is a list; write none, )"
         R"(dcqcn, dctcp, hpcc, swift or timely)"},
        {WithPacket("{congestion-control: {g: 1}}"),
         R"(c.yaml:4: network.packet.congestion-control: key "name" is missing: none, )"
         R"(dcqcn, dctcp, hpcc, swift or timely; unknown: g)"},
        {WithPacket("{congestion-control: {name: dqcn}}"),
         R"(c.yaml:4: network.packet.congestion-control.name: "dqcn" is not valid; )"
         R"(write none, dcqcn, dctcp, hpcc, swift or timely)"},
        {WithPacket("{congestion-control: {name: dcqcn, additive-increase: 5}}"),
         R"(c.yaml:4: network.packet.congestion-control.additive-increase: "5" has no )"
         R"(unit; write "5 GB/s" or "5 Gb/s")"},
        {WithPacket("{congestion-control: {name: dcqcn, aditive-increase: 5 Mb/s}}"),
         R"(c.yaml:4: network.packet.congestion-control.aditive-increase: unknown key )"
         R"((did you mean additive-increase?))"},
        {WithPacket("{congestion-control: {name: none, speed: 1}}"),
         R"(c.yaml:4: network.packet.congestion-control.speed: unknown key; known: name)"},
        {WithPacket("{congestion-control: hpcc, acknowledge: message}"),
         coarse + R"("message")" + needs("hpcc")},
        {WithPacket("{congestion-control: timely, acknowledge: 2 frames}"),
         coarse + R"("2 frames")" + needs("timely")},
        {WithPacket("{acknowledge: 16 frames, congestion-control: {name: swift}}"),
         coarse + R"("16 frames")" + needs("swift")},
        {WithPacket("{congestion-control: dctcp, acknowledge: message}"),
         coarse + R"("message")" + needs("dctcp")},
        {WithPacket("{congestion-control: {name: timely, low-threshold: 60 us, high-threshold: 50 "
                    "us}}"),
         R"(c.yaml:4: network.packet.congestion-control.low-threshold: 60 us is above )"
         R"(high-threshold (50 us), which would have no effect; write a low-threshold that is )"
         R"(at most high-threshold)"},
    });
    for (const char* keys : {"{congestion-control: hpcc, acknowledge: auto}",
                             "{congestion-control: hpcc, acknowledge: frame}",
                             "{congestion-control: hpcc, acknowledge: 1 frame}",
                             "{congestion-control: dcqcn, acknowledge: message}",
                             "{congestion-control: {name: timely, low-threshold: 60 us}}",
                             "{congestion-control: {name: timely, low-threshold: 50 us, "
                             "high-threshold: 50 us}}"})
    {
        CAPTURE(keys);
        CHECK(ReadingErrorOf(WithPacket(keys)).empty());
    }
}

TEST_CASE("Configuration errors: pause frames", "[golden][cli]")
{
    const std::string pfc = "c.yaml:4: network.packet.pfc";
    const std::string endless = pfc + ": an unlimited buffer never fills, so nothing would ever "
                                      "pause; write a network.packet.buffer such as 32 MB";
    const auto unfit = [&pfc](const std::string& alpha)
    {
        return pfc + ".alpha: \"" + alpha +
               "\" is not valid; write a number above 0, such as 1/8 or 0.125";
    };
    CheckAll({
        {WithPacket("{pfc: on}"), endless},
        {WithPacket("{pfc: {alpha: 1/8}, buffer: unlimited}"), endless},
        {WithPacket("{pfc: sometimes}"),
         pfc + R"(: "sometimes" is not valid; write on, off or {headroom, alpha})"},
        {WithPacket("{pfc: [on]}"), pfc + ": is a list; write on, off or {headroom, alpha}"},
        {WithPacket("{pfc: {alfa: 1/8}}"), pfc + ".alfa: unknown key (did you mean alpha?)"},
        {WithPacket("{pfc: {alpha: 0}}"), unfit("0")},
        {WithPacket("{pfc: {alpha: -1/8}}"), unfit("-1/8")},
        {WithPacket("{pfc: {alpha: 1/0}}"), unfit("1/0")},
        {WithPacket("{pfc: {alpha: 1/2/3}}"), unfit("1/2/3")},
        {WithPacket("{pfc: {alpha: /8}}"), unfit("/8")},
        {WithPacket("{pfc: {headroom: 10}}"),
         pfc + R"(.headroom: "10" has no unit; write "10 B" or "10 KiB", or auto)"},
        {WithPacket("{pfc: {headroom: 0 B}, buffer: 1 MB}"),
         pfc + ".headroom: must not be 0; write a size such as 4 KiB, or auto"},
    });
}

TEST_CASE("Configuration errors: marks", "[golden][cli]")
{
    const std::string ecn = "c.yaml:4: network.packet.ecn";
    const std::string right = "; write a min that is at most max, such as {min: 400 KB, max: "
                              "1600 KB}";
    CheckAll({
        {WithPacket("{ecn: often}"),
         ecn + R"(: "often" is not valid; write off, on or {min, max, probability})"},
        {WithPacket("{ecn: {kmin: 1 KB}}"), ecn + ".kmin: unknown key (did you mean min?)"},
        {WithPacket("{ecn: {min: 2 MB, max: 1 MB}}"),
         ecn + ": min (2 MB) is above max (1 MB)" + right},
        {WithPacket("{ecn: {min: 2 MB}}"), ecn + ": min (2 MB) is above max (1.6 MB)" + right},
        {WithPacket("{ecn: {min: 0 B, max: 0 B, probability: 1}}"),
         ecn + ".max: must not be 0; write 1 B to mark every frame that leaves a queue behind"},
        {WithPacket("{ecn: {probability: 1.1}}"),
         ecn + R"(.probability: "1.1" is not valid; write a number from 0 to 1)"},
        {WithPacket("{ecn: {probability: -0.1}}"),
         ecn + R"(.probability: "-0.1" is not valid; write a number from 0 to 1)"},
        {WithPacket("{ecn: {probability: 20 %}}"),
         ecn + R"(.probability: "20 %" is not valid; write a number from 0 to 1)"},
    });
}
