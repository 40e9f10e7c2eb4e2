// SPDX-License-Identifier: GPL-2.0-only
// Recorded requests, in all forms that are known.
#include "tests/fuzz/fuzz-target.h"
#include "tests/fuzz/input-files.h"
#include "workload/serving/length-distribution.h"
#include "workload/serving/request-trace.h"

#include <deque>

namespace nadi::fuzz
{

namespace
{

/// What RequestSource promises.
class RequestLaws
{
  public:
    void Check(const Request& request, SimTime earliest)
    {
        Require(request.id == m_given++, "ids count up");
        Require(request.arrival >= earliest, "arrivals never go back");
        Require(IsTokens(request.input) && IsTokens(request.output), "tokens are in range");
        for (uint64_t index = 0; index < 3; ++index)
        {
            const bool isNamed = request.NameOfBlock(index, 16).has_value();
            Require(!isNamed || (index + 1) * 16 <= request.input, "a block lies in the prompt");
        }
    }

  private:
    static bool IsTokens(uint64_t tokens)
    {
        return tokens > 0 && tokens <= LengthDistribution::MOST;
    }

    uint64_t m_given = 0;
};

class RequestsFuzz : public FuzzTarget
{
  public:
    static constexpr const char* Help = "A file of recorded requests.";

    void Read(const std::string& input) override
    {
        const std::string file = m_files.Write("requests", input);
        Succeeds([&] { ReadAll({.file = file, .speed = 1, .limit = {}}); });
        Succeeds([&] { ReadAll({.file = file, .speed = 0.5, .limit = 2}); });
    }

  private:
    /// Sessions go on as if each answer took no time.
    static void ReadAll(const RequestTraceOptions& options)
    {
        const auto source = OpenRequestTrace(options);
        RequestLaws laws;
        SimTime last;
        std::deque<Request> ended;
        uint64_t given = 0;
        while (const std::optional<Request> request = source->Next())
        {
            laws.Check(*request, last);
            last = request->arrival;
            ended.push_back(*request);
            ++given;
        }
        for (; !ended.empty(); ended.pop_front())
        {
            const SimTime end = ended.front().arrival;
            if (const std::optional<Request> next = source->NextAfter(ended.front(), end))
            {
                laws.Check(*next, end);
                ended.push_back(*next);
                ++given;
            }
        }
        Require(!options.limit || given <= *options.limit, "a limit holds");
    }

    InputFiles m_files;
};

NADI_REGISTER(FuzzTarget, RequestsFuzz, "requests");

} // namespace

} // namespace nadi::fuzz
