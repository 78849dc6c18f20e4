using System.Globalization;
using System.Runtime.InteropServices;

namespace Steelyard.Common
{
    /// <summary>Spins for a time that is measured on the thread's own processor clock.</summary>
    static class Busy
    {
        const int ClockThreadCpuTime = 3;

        /// <summary>A second: a header costs its sender nothing, so it must not cost the server much more.</summary>
        const double MostMicros = 1000000;

        /// <summary>Spins for a decimal number of microseconds; false, at once, where the text is none up to a million.</summary>
        public static bool Spin(string micros)
        {
            double asked;
            if (!double.TryParse(micros, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out asked)
                || !(asked <= MostMicros))
                return false;
            long end = ThreadTime() + (long)(asked * 1000);
            while (ThreadTime() < end)
            {
            }
            return true;
        }

        /// <summary>Processor time that this thread has used, in nanoseconds. .NET has no call for it.</summary>
        static long ThreadTime()
        {
            TimeSpec time;
            clock_gettime(ClockThreadCpuTime, out time);
            return time.Seconds * 1000000000 + time.Nanoseconds;
        }

        struct TimeSpec
        {
            public long Seconds;
            public long Nanoseconds;
        }

        [DllImport("libc")]
        static extern int clock_gettime(int clock, out TimeSpec time);
    }
}
