// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace-problems.h"

#include "common/error.h"

#include <array>

namespace nadi
{

namespace
{

class ProblemThrower : public TraceListener
{
  public:
    void OnProblem(const TraceProblem& problem) override
    {
        throw ConfigError(problem.where, problem.message);
    }

    void OnOddity(Severity, std::string_view, uint64_t, std::string_view) override
    {
    }
};

} // namespace

std::string_view
ToText(Severity severity)
{
    static constexpr std::array<std::string_view, 3> NAMES{"note", "warning", "error"};
    return NAMES[static_cast<size_t>(severity)];
}

TraceListener&
ThrowProblems()
{
    static ProblemThrower thrower; // has no state
    return thrower;
}

} // namespace nadi
