// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/scratch-directory.h"
#include "tests/support/serve-yaml.h"
#include "tests/support/small-cluster.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

TEST_CASE("Serving: requests of sessions are numbered as they arrive", "[component][serving]")
{
    const test::ScratchDirectory scratch("serving-sessions");
    // The second request of the session comes between the first one and the request of the other
    // line, which has been read by then.
    const std::string file =
        scratch
            .Write("sessions.jsonl",
                   R"({"session_id": "a", "arrival_time_ns": 0, "sub_requests": )"
                   R"([{"input_toks": 10, "output_toks": 2, "tool_duration_ns": 1000000}, )"
                   R"({"input_toks": 20, "output_toks": 2, "tool_duration_ns": 0}]})"
                   "\n"
                   R"({"input_toks": 30, "output_toks": 1, "arrival_time_ns": 900000000})"
                   "\n")
            .string();
    const ServedRun run =
        ServeYaml({WithServe("    requests: {trace: " + file + "}\n    instances: [{tp: 1}]\n")});
    std::vector<uint64_t> prompts;
    SimTime last;
    for (const auto& [id, request] : run.requests)
    {
        CHECK(request.arrival >= last);
        last = request.arrival;
        prompts.push_back(request.input);
    }
    CHECK(prompts == std::vector<uint64_t>{10, 20, 30});
}
