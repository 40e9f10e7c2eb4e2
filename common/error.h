// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace nadi
{

/// Control characters become spaces: what a file holds may stand in a message, and would break its
/// line or reach the terminal as a command. Of words and quotes that are too long to be read, both
/// ends stay.
std::string MakeOneLine(std::string text);

/// The user's fault: an invalid configuration, trace or topology. Caught once, in `cli/` (exit 3).
///
/// `where` is `file:line` or a file; `problem` says what is wrong; what would be right, so that the
/// whole reads as one line (MakeOneLine): `dgx.yaml:12: network.payload: "4096" has no unit; write
/// "4096 B"`.
class ConfigError : public std::runtime_error
{
  public:
    ConfigError(std::string where, std::string problem)
        : std::runtime_error(MakeOneLine(where.empty() ? problem : where + ": " + problem))
        , m_where(MakeOneLine(std::move(where)))
        , m_problem(MakeOneLine(std::move(problem)))
    {
    }

    const std::string& Where() const
    {
        return m_where;
    }

    const std::string& Problem() const
    {
        return m_problem;
    }

  private:
    std::string m_where;
    std::string m_problem;
};

/// The simulated job cannot go on: ranks called collectives that do not match (exit 4).
class JobError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// The network cannot deliver what the job has sent, so that the job cannot go on: a queue pair
/// gave up, or ports pause each other in a circle. Nothing that was called is at fault.
class NetworkFailure : public JobError
{
  public:
    using JobError::JobError;
};

} // namespace nadi
