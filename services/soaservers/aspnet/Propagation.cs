using System;
using System.Collections.Generic;
using System.Linq;
using Steelyard.SoaServers.Contract;

namespace Steelyard.SoaServers
{
    /// <summary>What every service does: it makes its own token, calls its callees, and joins their tokens in the declared order.</summary>
    static class Propagation
    {
        /// <summary>The tokens of a node and of all below it. A callee that fails makes it fail.</summary>
        public static Token[] Tokens(Node node, int depth, params string[] parameters)
        {
            if (parameters == null || parameters.Contains(null))
                throw new ArgumentException("the request lacks a parameter");
            var tokens = new List<Token> { new Token { service = node.Name, depth = depth, parameter = parameters } };
            foreach (Func<Token[]> answer in Answers(node, depth + 1, parameters))
                tokens.AddRange(answer());
            return tokens.ToArray();
        }

        /// <summary>The callees' answers to wait for: parallel calls have all begun, a sequential one is made when asked for.</summary>
        static IEnumerable<Func<Token[]>> Answers(Node node, int depth, string[] parameters)
        {
            IEnumerable<Func<Token[]>> calls = node.Calls.Select(service => node.Parallel
                ? Begun(Calls.To(service), depth, parameters)
                : () => Calls.To(service).propagate(depth, parameters));
            return calls.ToList();
        }

        static Func<Token[]> Begun(CalleeBinding callee, int depth, string[] parameters)
        {
            IAsyncResult call = callee.BeginPropagate(depth, parameters);
            return () => callee.EndPropagate(call);
        }
    }
}
