// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/export-files.h"

#include "common/usage-error.h"
#include "simulation/results/output-directory.h"

#include <fmt/format.h>

#include <fstream>

namespace nadi
{

std::vector<std::string>
WriteRankFiles(const ExportRequest& request,
               const std::string& extension,
               const std::function<std::string(uint32_t rank)>& make)
{
    if (request.inputs.files.size() == 1)
    {
        const std::string text = make(0);
        WriteExportFile(request.out, [&text](std::ostream& out) { out << text; });
        return {request.out};
    }
    // All files or none: the directory appears when the last rank is written.
    OutputDirectory directory(request.out, MayReplace::Nothing);
    std::vector<std::string> files;
    for (uint32_t rank = 0; rank < request.inputs.files.size(); ++rank)
    {
        const std::string name = fmt::format("{}.{}.{}", request.inputs.name, rank, extension);
        directory.Write(name, make(rank));
        files.push_back(request.out + "/" + name);
    }
    directory.Publish();
    return files;
}

void
WriteExportFile(const std::string& path, const std::function<void(std::ostream&)>& fill)
{
    std::ofstream file(path, std::ios::binary);
    // An export may take long, so it is not made for a file that cannot be opened.
    if (file)
    {
        fill(file);
    }
    file.close();
    if (!file)
    {
        throw UsageError("cannot write \"" + path + "\"; name another file with --out");
    }
}

} // namespace nadi
