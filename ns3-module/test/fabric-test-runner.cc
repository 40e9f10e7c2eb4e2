// SPDX-License-Identifier: GPL-2.0-only
// Runs the module's suites, in one process, where ns-3's own test runner is not built.
#include "ns3/nstime.h"
#include "ns3/test.h"

int
main(int argc, char* argv[])
{
    ns3::Time::SetResolution(ns3::Time::PS); // before any suite runs the simulator
    return ns3::TestRunner::Run(argc, argv);
}
