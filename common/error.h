// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <stdexcept>
#include <string>

namespace nadi
{

/// The user's fault: an invalid configuration, trace or topology. Caught once, in `cli/` (exit 3).
///
/// `where` is `file:line` or a file; `problem` says what is wrong; what would be right, so that the
/// whole reads as one line: `dgx.yaml:12: network.payload: "4096" has no unit; write "4096 B"`.
class ConfigError : public std::runtime_error
{
  public:
    ConfigError(std::string where, std::string problem)
        : std::runtime_error(where.empty() ? problem : where + ": " + problem)
        , m_where(std::move(where))
        , m_problem(std::move(problem))
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

} // namespace nadi
