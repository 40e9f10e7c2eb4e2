// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"
#include "workload/serving/request-trace.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Arrival in us, input, output.
struct Recorded
{
    double arrival = 0;
    uint64_t input = 0;
    uint64_t output = 0;

    bool operator==(const Recorded&) const = default;
};

std::ostream&
operator<<(std::ostream& stream, const Recorded& request)
{
    return stream << request.arrival << " us, " << request.input << ", " << request.output;
}

std::vector<Request>
ReadRequests(const std::string& text, double speed = 1)
{
    const ScratchDirectory scratch("request-trace");
    const auto source = OpenRequestTrace(
        {.file = scratch.Write("requests", text).string(), .speed = speed, .limit = {}});
    std::vector<Request> requests;
    while (const std::optional<Request> request = source->Next())
    {
        CHECK(request->id == requests.size());
        requests.push_back(*request);
    }
    return requests;
}

std::vector<Recorded>
ValuesOf(const std::vector<Request>& requests)
{
    std::vector<Recorded> values;
    for (const Request& request : requests)
    {
        values.push_back({request.arrival.Ns() / 1e3, request.input, request.output});
    }
    return values;
}

std::string
RequestErrorOf(const std::string& text)
{
    const ScratchDirectory scratch("request-trace");
    const std::string file = scratch.Write("t", text).string();
    return scratch.WithoutPath(ConfigErrorText(
        [&]
        {
            const auto source = OpenRequestTrace({.file = file, .speed = 1, .limit = {}});
            while (source->Next())
            {
            }
        }));
}

const std::string AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
const std::string VIDUR = "arrived_at,num_prefill_tokens,num_decode_tokens\n";

} // namespace

TEST_CASE("Request traces: the forms in the wild", "[unit][workload][serving]")
{
    const std::vector<Recorded> expected{{0, 374, 44}, {1500000, 396, 109}};
    CHECK(ValuesOf(ReadRequests(AZURE + "2023-11-16 23:59:59.5000000,374,44\n"
                                        "2023-11-17 00:00:01.0000000,396,109\n")) == expected);
    CHECK(ValuesOf(
              ReadRequests("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
                           "0,ChatGPT,374,44,418,Conversation log\n"
                           "1,ChatGPT,100,0,100,Conversation log\n"
                           "1.5,GPT-4,396,109,505,API log\n")) == expected);
    CHECK(ValuesOf(ReadRequests(VIDUR + "0,374,44\r\n1.5,396,109\r\n")) == expected);
    CHECK(
        ValuesOf(ReadRequests("request_id,request_type,application_id,arrival_timestamp,batch_size,"
                              "prompt_size,token_size\n"
                              "0,2,0,0.0,1,374,44\n1,2,0,1.5,1,396,109\n")) == expected);
    CHECK(ValuesOf(ReadRequests(
              R"({"timestamp": 0, "input_length": 374, "output_length": 44, "hash_ids": [1]})"
              "\n"
              R"({"timestamp": 1500, "input_length": 396, "output_length": 109, "hash_ids": [1]})"
              "\n")) == expected);
    CHECK(ValuesOf(ReadRequests(
              R"({"input_toks": 374, "output_toks": 44, "arrival_time_ns": 0})"
              "\n"
              R"({"input_toks": 396, "output_toks": 109, "arrival_time_ns": 1500000000})"
              "\n")) == expected);
    CHECK(ValuesOf(ReadRequests(VIDUR + "0,374,44\n1.5,396,109\n", 3)) ==
          std::vector<Recorded>{{0, 374, 44}, {500000, 396, 109}});
}

TEST_CASE("Request traces: dates with zones are compared by the time of UTC",
          "[unit][workload][serving]")
{
    // A second after the other, in zones before, at and behind UTC, and over midnight.
    CHECK(ValuesOf(ReadRequests(AZURE + "2024-03-31 01:59:59+01:00,1,1\n"
                                        "2024-03-31T01:00:00Z,2,1\n"
                                        "2024-03-30 17:30:01-0730,3,1\n"
                                        "2024-03-31 01:00:02 UTC,4,1\n"
                                        "2024-03-31 11:00:03+10,5,1\n")) ==
          std::vector<Recorded>{
              {0, 1, 1}, {1000000, 2, 1}, {2000000, 3, 1}, {3000000, 4, 1}, {4000000, 5, 1}});
    CHECK(RequestErrorOf(AZURE + "2024-03-31 01:00:00,1,1\n2024-03-31 01:00:01Z,1,1\n") ==
          "t:3: \"2024-03-31 01:00:01Z\" has a zone, and the first date has none; write all dates "
          "with a zone, or none");
    CHECK(RequestErrorOf(AZURE + "2024-03-31 01:00:00+00,1,1\n2024-03-31 01:00:01,1,1\n") ==
          "t:3: \"2024-03-31 01:00:01\" has no zone, and the first date has one; write all dates "
          "with a zone, or none");
}

TEST_CASE("Request traces: equal hashes of Mooncake are a shared prefix",
          "[unit][workload][serving]")
{
    const std::vector<Request> requests = ReadRequests(
        R"({"timestamp": 0, "input_length": 1100, "output_length": 1, "hash_ids": [7, 8, 9]})"
        "\n"
        R"({"timestamp": 1, "input_length": 1100, "output_length": 1, "hash_ids": [7, 8, 10]})"
        "\n");
    REQUIRE(requests.size() == 2);
    // Blocks of 16 tokens: the first 64 of them are in the hashes 7 and 8.
    CHECK(requests[0].NameOfBlock(63, 16) == requests[1].NameOfBlock(63, 16));
    CHECK(requests[0].NameOfBlock(64, 16) != requests[1].NameOfBlock(64, 16));
    CHECK(!requests[0].NameOfBlock(68, 16)); // it is not full
}

TEST_CASE("Request traces: a session goes on when its tool has answered",
          "[unit][workload][serving]")
{
    const ScratchDirectory scratch("request-trace");
    const auto source = OpenRequestTrace(
        {.file = scratch
                     .Write("sessions",
                            R"({"session_id": "a", "arrival_time_ns": 1000, "sub_requests": )"
                            R"([{"input_toks": 10, "output_toks": 2, "tool_duration_ns": 500}, )"
                            R"({"input_toks": 30, "output_toks": 4, "tool_duration_ns": 0}]})"
                            "\n")
                     .string(),
         .speed = 1,
         .limit = {}});
    const std::optional<Request> first = source->Next();
    REQUIRE(first);
    CHECK(first->input == 10);
    CHECK(!source->Next());
    const std::optional<Request> second = source->NextAfter(*first, SimTime::FromNs(9000));
    REQUIRE(second);
    CHECK(second->arrival == SimTime::FromNs(9500));
    CHECK(second->input == 30);
    CHECK(second->id == 1);
    CHECK(!source->NextAfter(*second, SimTime::FromNs(20000)));
}

TEST_CASE("Request traces: what is wrong is told with its line", "[unit][workload][serving]")
{
    CHECK(RequestErrorOf("") == "t: is empty; write requests as docs/serving.md says");
    CHECK(RequestErrorOf("a,b,c\n") == "t:1: is the header of no known form of requests; see "
                                       "docs/serving.md for those that are");
    CHECK(RequestErrorOf(VIDUR + "0,1\n") == "t:2: 2 columns; a file of Vidur has 3");
    CHECK(RequestErrorOf(VIDUR + "-1,1,1\n") == "t:2: the time -1 s is negative; write 0 or more");
    CHECK(RequestErrorOf(VIDUR + "2,1,1\n1,1,1\n") ==
          "t:3: the time 1 s is before that of the request before, 2 s; sort the requests by time");
    CHECK(RequestErrorOf(VIDUR + "2,0,1\n") ==
          "t:2: a prompt of 0 and an answer of 1 tokens; each has one or more, and 1073741824 at "
          "most");
    CHECK(RequestErrorOf(VIDUR + "x,1,1\n") == "t:2: arrived_at: \"x\" is no number");
    CHECK(RequestErrorOf(AZURE + "yesterday,1,1\n") ==
          "t:2: \"yesterday\" is no date and time; write one such as 2023-11-16 18:15:46.680");
    CHECK(RequestErrorOf("{\"input_toks\": 1}\n") == "t:1: key \"output_toks\" is missing");
    CHECK(RequestErrorOf("{\"input_toks\": 1, \"x\": 2}\n") == "t:1: unknown key \"x\"");
    CHECK(RequestErrorOf(AZURE + "2023-11-16 24:15:46.680,1,1\n") ==
          "t:2: \"2023-11-16 24:15:46.680\" is no date and time; write one such as 2023-11-16 "
          "18:15:46.680");
    for (const std::string date : {"2023x11x16y18z15z46foo",
                                   "2023-11-16 18:15:46foo",
                                   "2023-11-16 18:15:46.5 +1",
                                   "2023-11-16 18:15:46+24:00",
                                   "2023-11-16 18:15:46+01:60",
                                   "2023-11-16 18:15:46-",
                                   "2023-11-16 18:15:1e1",
                                   "2023-11-16_18:15:46"})
    {
        CAPTURE(date);
        CHECK(RequestErrorOf(AZURE + date + ",1,1\n")
                  .starts_with("t:2: \"" + date + "\" is no date and time; write one such as"));
    }
    for (const std::string zone : {"", "Z", "+00:00", "-0730", ".009930+00", " UTC", " +0000"})
    {
        CAPTURE(zone);
        CHECK(RequestErrorOf(AZURE + "2023-11-16T18:15:46" + zone + ",1,1\n").empty());
    }
    CHECK(RequestErrorOf("{\"timestamp\": 0, \"input_length\": 9, \"output_length\": 1, "
                         "\"hash_ids\": 7}\n") == "t:1: hash_ids is no list");
    CHECK(RequestErrorOf("{\"session_id\": 1, \"arrival_time_ns\": 5, \"sub_requests\": {}}\n") ==
          "t:1: sub_requests is no list");
    CHECK(RequestErrorOf("{broken\n") == "t:1: is no JSON; write one object on each line");
}
