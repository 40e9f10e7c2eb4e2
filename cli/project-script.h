// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

namespace nadi
{

/// Runs a command that is one of the project's own scripts, `<name>.py`, in place of this process:
/// signals and exit codes are the script's. It is told where this program lies
/// (`--simulator PATH`), then `arguments`.
///
/// The scripts lie in `../share/nadi/scripts`, seen from the folder of the program.
///
/// Throws UnavailableError where the script or Python is missing; does not return.
[[noreturn]] void BecomeScript(const std::string& name, const std::vector<std::string>& arguments);

/// The same in a process of its own. Returns the script's exit code, or 128 + the signal that ended
/// it, as shells do.
///
/// Throws UnavailableError as above.
int RunScript(const std::string& name, const std::vector<std::string>& arguments);

} // namespace nadi
